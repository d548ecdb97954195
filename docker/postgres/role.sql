-- Run once, by the superuser of a new cluster: the role of the apps owns its database and has no other right. The
-- extensions that the migrations ask for are trusted ones, which the owner of a database may create.
CREATE ROLE atrium LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE atrium OWNER atrium;
REVOKE ALL ON DATABASE atrium FROM PUBLIC;

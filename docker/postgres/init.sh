#!/bin/sh
# The image runs this when it makes its cluster.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --set ON_ERROR_STOP=1 --set password="$(cat "$ATRIUM_PASSWORD_FILE")" \
  --file /etc/atrium/role.sql

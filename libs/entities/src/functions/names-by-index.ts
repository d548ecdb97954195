export const namesByIndex = `
CREATE OR REPLACE FUNCTION names_by_index(name text)
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE COST 100000
AS $$ BEGIN RETURN true; END $$`;

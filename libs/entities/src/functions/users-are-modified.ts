export const usersAreModified = `
CREATE OR REPLACE FUNCTION users_are_modified()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.modified_at := now();
  RETURN NEW;
END $$`;

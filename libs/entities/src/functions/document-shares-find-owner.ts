/** Whose document it is stands in the share as well: from whom a viewer has any is then found without the documents. */
export const documentSharesFindOwner = `
CREATE OR REPLACE FUNCTION document_shares_find_owner()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT owner_id INTO NEW.owner_id FROM documents WHERE uid = NEW.document_uid;
  RETURN NEW;
END $$`;

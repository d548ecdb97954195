export const chunkSignBitsFindOwner = `
CREATE OR REPLACE FUNCTION chunk_sign_bits_find_owner()
RETURNS trigger
LANGUAGE plpgsql
AS $$ BEGIN
  SELECT owner_id INTO NEW.owner_id FROM document_indexes WHERE id = NEW.index_id;
  RETURN NEW;
END $$`;

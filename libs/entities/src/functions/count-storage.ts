/** Keeps the totals `storage`; the argument of the trigger names the part. Rows: owner_id, size_bytes. */
export const countStorage = `
CREATE OR REPLACE FUNCTION count_storage()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO kept_total_changes (kind, key, part, change)
    SELECT 'storage', owner_id, TG_ARGV[0], sum(size_bytes) FROM new_rows GROUP BY owner_id HAVING sum(size_bytes) <> 0;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO kept_total_changes (kind, key, part, change)
    SELECT 'storage', owner_id, TG_ARGV[0], -sum(size_bytes) FROM old_rows GROUP BY owner_id HAVING sum(size_bytes) <> 0;
  ELSE
    INSERT INTO kept_total_changes (kind, key, part, change)
    VALUES ('storage', OLD.owner_id, TG_ARGV[0], -OLD.size_bytes), ('storage', NEW.owner_id, TG_ARGV[0], NEW.size_bytes);
  END IF;
  RETURN NULL;
END $$`;

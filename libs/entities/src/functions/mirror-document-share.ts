export const mirrorDocumentShare = `
CREATE OR REPLACE FUNCTION mirror_document_share()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE document_share_mirrors
    SET wanted = false, version = version + 1, attempts = 0, last_error = '', next_attempt_at = now()
    WHERE document_uid = OLD.document_uid AND user_id = OLD.user_id;
    RETURN OLD;
  END IF;
  INSERT INTO document_share_mirrors AS m (owner_id, document_uid, user_id, email, source_id, item_id)
  SELECT d.owner_id, d.uid, u.id, u.email, i.source_id, coalesce(i.item_id, d.external_drive_item_id)
  FROM documents d JOIN users u ON u.id = NEW.user_id LEFT JOIN external_items i ON i.document_uid = d.uid
  WHERE d.uid = NEW.document_uid AND d.from_dms AND coalesce(i.item_id, d.external_drive_item_id) IS NOT NULL
  LIMIT 1
  ON CONFLICT (document_uid, user_id) DO UPDATE
    SET wanted = true, version = m.version + 1, email = excluded.email, attempts = 0, last_error = '', next_attempt_at = now();
  RETURN NEW;
END $$`;

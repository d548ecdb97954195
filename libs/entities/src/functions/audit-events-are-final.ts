export const auditEventsAreFinal = `
CREATE OR REPLACE FUNCTION audit_events_are_final()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.personal IS NULL AND NEW.actor_id IS NULL AND NEW.subject_id IS NULL
     AND (NEW.seq, NEW.id, NEW.at, NEW.action, NEW.outcome, NEW.personal_digest, NEW.prev_hash, NEW.hash)
       = (OLD.seq, OLD.id, OLD.at, OLD.action, OLD.outcome, OLD.personal_digest, OLD.prev_hash, OLD.hash)
     AND NEW.request_id IS NOT DISTINCT FROM OLD.request_id
     AND NEW.organization_id IS NOT DISTINCT FROM OLD.organization_id THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'audit_events is append-only' USING ERRCODE = 'restrict_violation';
END $$`;

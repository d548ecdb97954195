export const chatAppendEvents = `
CREATE OR REPLACE FUNCTION chat_append_events(entries jsonb)
RETURNS SETOF uuid
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY INSERT INTO chat_turn_events AS w (turn_id, seq, type, data)
    SELECT e.t, e.s, e.k, e.d FROM jsonb_to_recordset(entries) AS e(t uuid, s integer, k text, d jsonb)
    WHERE EXISTS (SELECT 1 FROM chat_turns o WHERE o.id = e.t AND o.status = 'running')
    ON CONFLICT DO NOTHING RETURNING w.turn_id;
END $$`;

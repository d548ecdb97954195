export const chatTurnEventsFollow = `
CREATE OR REPLACE FUNCTION chat_turn_events_follow()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM chat_turn_events e USING gone g WHERE e.turn_id = g.id;
  RETURN NULL;
END $$`;

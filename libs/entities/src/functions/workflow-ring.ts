export const workflowRing = `
CREATE OR REPLACE FUNCTION workflow_ring(p_message jsonb, p_delay_seconds double precision)
RETURNS bigint
LANGUAGE sql
AS $$
  INSERT INTO outbox_messages (job, queue, job_key, payload, request_id, available_at)
  VALUES (p_message->>'job', p_message->>'queue', p_message->>'jobKey', p_message->'payload',
    p_message->>'requestId', now() + p_delay_seconds * interval '1 second')
  RETURNING id
$$`;

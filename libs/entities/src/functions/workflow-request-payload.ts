export const workflowRequestPayload = `
CREATE OR REPLACE FUNCTION workflow_request_payload(p_request uuid, p_payload json)
RETURNS json
LANGUAGE sql
AS $$
  SELECT json_object_agg(m.key, m.value ORDER BY m.place) FROM (
    SELECT e.key, e.value, e.place FROM json_each(coalesce(p_payload, '{}')) WITH ORDINALITY AS e(key, value, place)
    WHERE e.key <> '_request'
    UNION ALL
    SELECT '_request', (coalesce((p_payload->'_request')::jsonb, '{}') || jsonb_build_object('files', coalesce(jsonb_agg(
      jsonb_build_object('url', f.url, 'status', f.state, 'file_name', f.filename, 'uid', f.document_uid,
        'mime_type', f.mime_type, 'size_bytes', f.size_bytes, 'error', f.error) ORDER BY f.position), '[]')))::json, NULL
    FROM workflow_request_files f WHERE f.request_id = p_request) m
$$`;

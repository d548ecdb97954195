export const workflowRequestPayload = `
CREATE OR REPLACE FUNCTION workflow_request_payload(p_request uuid, p_payload jsonb)
RETURNS jsonb
LANGUAGE sql
AS $$
  SELECT coalesce(p_payload, '{}') || jsonb_build_object('_request',
    coalesce(p_payload->'_request', '{}') || jsonb_build_object('files', coalesce(jsonb_agg(
      jsonb_build_object('url', f.url, 'status', f.state, 'file_name', f.filename, 'uid', f.document_uid,
        'mime_type', f.mime_type, 'size_bytes', f.size_bytes, 'error', f.error) ORDER BY f.position), '[]')))
  FROM workflow_request_files f WHERE f.request_id = p_request
$$`;

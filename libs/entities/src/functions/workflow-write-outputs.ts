export const workflowWriteOutputs = `
CREATE OR REPLACE FUNCTION workflow_write_outputs(p_workflow uuid, p_run uuid, p_outputs json)
RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes, title,
    media_path, mime_type, mgid, artifact_id, table_id)
  SELECT o.id, p_workflow, p_run, o."nodeId", o."nodeName", o.kind, o.type, CASE json_typeof(o.value) WHEN 'null' THEN NULL ELSE o.value END, o."sizeBytes",
    o.title, o."mediaPath", o."mimeType", o.mgid, o."artifactId", o."tableId"
  FROM json_to_recordset(p_outputs) AS o(id uuid, "nodeId" text, "nodeName" text, kind text, type text,
    value json, "sizeBytes" integer, title text, "mediaPath" text, "mimeType" text, mgid text, "artifactId" text,
    "tableId" text)
  ON CONFLICT DO NOTHING
$$`;

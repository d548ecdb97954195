import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whose rights each node uses, and what the receivers of apps agreed to.
 *
 * Of workflows that nobody but their owner ever touched, every node is the owner's. Elsewhere the history says who
 * brought a node into the shape that it has; where revisions that would say it were thinned out, nobody is named, and the
 * owner has to adopt the node. The first revision of a received copy counts as its receiver's, who has run it as such.
 */
export class ActingPeople1766000000900 implements MigrationInterface {
  name = 'ActingPeople1766000000900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workflow_revisions ADD acts_as jsonb');
    await runner.query('ALTER TABLE workflows ADD app_consent jsonb');
    await runner.query(`
      UPDATE workflow_revisions v SET acts_as = jsonb_build_object('all', w.owner_id)
      FROM workflows w WHERE w.id = v.workflow_id AND w.app_of_id IS NULL`);
    await runner.query(`
      WITH kept AS (
        SELECT r.workflow_id, r.content_revision AS revision, w.owner_id, r.json_spec,
          CASE WHEN r.content_revision = 1 AND w.sharer_id IS NOT NULL THEN w.owner_id ELSE r.created_by_id END AS author,
          lag(r.content_revision) OVER (PARTITION BY r.workflow_id ORDER BY r.content_revision) AS previous
        FROM workflow_revisions r JOIN workflows w ON w.id = r.workflow_id WHERE w.app_of_id IS NULL),
      shared AS (
        SELECT DISTINCT workflow_id FROM kept WHERE author IS DISTINCT FROM owner_id),
      nodes AS (
        SELECT k.*, node->>'id' AS node_id, md5(jsonb_build_array(node->'kind', coalesce(node->'params', '{}'), node->'retry',
          node->'timeout_seconds', node->'save_output', node->'export_output')::text) AS content
        FROM kept k JOIN shared s USING (workflow_id), jsonb_array_elements(
          CASE WHEN jsonb_typeof(k.json_spec->'nodes') = 'array' THEN k.json_spec->'nodes' ELSE '[]' END) AS node
        WHERE jsonb_typeof(node) = 'object'),
      compared AS (
        SELECT *, lag(content) OVER line IS DISTINCT FROM content OR lag(revision) OVER line IS DISTINCT FROM previous AS is_new
        FROM nodes WINDOW line AS (PARTITION BY workflow_id, node_id ORDER BY revision)),
      shaped AS (
        SELECT *, max(CASE WHEN is_new THEN revision END) OVER (
          PARTITION BY workflow_id, node_id ORDER BY revision) AS since FROM compared),
      known AS (
        SELECT n.workflow_id, n.revision, n.node_id, n.owner_id,
          CASE WHEN coalesce(n.since - first.previous, n.since) = 1 THEN first.author END AS actor
        FROM shaped n JOIN kept first ON first.workflow_id = n.workflow_id AND first.revision = n.since),
      named AS (
        SELECT workflow_id, revision, jsonb_object_agg(node_id, actor) AS nodes FROM known
        WHERE actor IS DISTINCT FROM owner_id AND node_id IS NOT NULL GROUP BY 1, 2)
      UPDATE workflow_revisions v SET acts_as = v.acts_as || jsonb_build_object('nodes', m.nodes)
      FROM named m WHERE m.workflow_id = v.workflow_id AND m.revision = v.content_revision`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workflows DROP app_consent');
    await runner.query('ALTER TABLE workflow_revisions DROP acts_as');
  }
}

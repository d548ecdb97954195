import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Labels and summaries of revisions, and the private tags of those who see a workflow. */
export class VersionsAndTags1764000000200 implements MigrationInterface {
  name = 'VersionsAndTags1764000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workflow_revisions
        ADD label text,
        ADD change_summary text NOT NULL DEFAULT ''`);
    await runner.query(`
      CREATE TABLE workflow_tags (
        id uuid CONSTRAINT workflow_tags_pkey PRIMARY KEY,
        owner_id integer NOT NULL,
        name text NOT NULL,
        color text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_tags_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE UNIQUE INDEX workflow_tags_owner_name ON workflow_tags (owner_id, lower(name))');
    await runner.query(`
      CREATE TABLE workflow_tag_links (
        tag_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        CONSTRAINT workflow_tag_links_pkey PRIMARY KEY (tag_id, workflow_id),
        CONSTRAINT workflow_tag_links_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES workflow_tags (id) ON DELETE CASCADE,
        CONSTRAINT workflow_tag_links_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX workflow_tag_links_workflow_id ON workflow_tag_links (workflow_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workflow_tag_links');
    await runner.query('DROP TABLE workflow_tags');
    await runner.query('ALTER TABLE workflow_revisions DROP label, DROP change_summary');
  }
}

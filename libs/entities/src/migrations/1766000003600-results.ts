import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Results are kept by what is bound, and know what they were made of. Nobody has kept any before. */
export class Results1766000003600 implements MigrationInterface {
  name = 'Results1766000003600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE artifact_results');
    await runner.query(`CREATE TABLE artifact_results (
        artifact_id uuid NOT NULL,
        version integer NOT NULL,
        query_name text NOT NULL,
        params_key bytea NOT NULL,
        result text,
        size_bytes integer NOT NULL DEFAULT '0',
        state_key bytea,
        as_of TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        failure jsonb,
        failed_key bytea,
        failed_at TIMESTAMP WITH TIME ZONE,
        made_by text,
        made_key bytea,
        made_until TIMESTAMP WITH TIME ZONE,
        CONSTRAINT artifact_results_pkey PRIMARY KEY (artifact_id, version, query_name, params_key)
      )`);
    await runner.query('CREATE INDEX artifact_results_as_of ON artifact_results (as_of)');
    await runner.query(
      `ALTER TABLE artifact_results ADD CONSTRAINT artifact_results_artifact_id_fkey FOREIGN KEY (artifact_id)
         REFERENCES artifacts (id) ON DELETE CASCADE`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE artifact_results');
    await runner.query(`CREATE TABLE artifact_results (
        artifact_id uuid NOT NULL,
        version integer NOT NULL,
        query_name text NOT NULL,
        result_key bytea NOT NULL,
        result jsonb,
        size_bytes integer NOT NULL DEFAULT '0',
        made_by text,
        made_until TIMESTAMP WITH TIME ZONE,
        as_of TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT artifact_results_pkey PRIMARY KEY (artifact_id, version, query_name, result_key)
      )`);
    await runner.query('CREATE INDEX artifact_results_as_of ON artifact_results (as_of)');
    await runner.query(
      `ALTER TABLE artifact_results ADD CONSTRAINT artifact_results_artifact_id_fkey FOREIGN KEY (artifact_id)
         REFERENCES artifacts (id) ON DELETE CASCADE`,
    );
  }
}

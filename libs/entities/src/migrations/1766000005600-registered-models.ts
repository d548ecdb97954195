import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids below 100,000 are those of the settings. */
export class RegisteredModels1766000005600 implements MigrationInterface {
  name = 'RegisteredModels1766000005600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE registered_models (
        id integer GENERATED ALWAYS AS IDENTITY (START WITH 100000) NOT NULL,
        user_id integer,
        organization_id integer,
        name text NOT NULL,
        value text NOT NULL,
        definition jsonb NOT NULL,
        secret_sealed bytea,
        has_key boolean NOT NULL DEFAULT false,
        header_names text array NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        is_default boolean NOT NULL DEFAULT false,
        "position" integer NOT NULL DEFAULT '0',
        version integer NOT NULL DEFAULT '1',
        tested_at TIMESTAMP WITH TIME ZONE,
        test_status text NOT NULL DEFAULT 'untested',
        test_code text,
        test_reason text,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT registered_models_test_status_check CHECK (test_status IN ('untested', 'ok', 'failed')),
        CONSTRAINT registered_models_default_check CHECK (NOT is_default OR user_id IS NULL AND organization_id IS NULL),
        CONSTRAINT registered_models_owner_check CHECK (user_id IS NULL OR organization_id IS NULL),
        CONSTRAINT registered_models_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX registered_models_default_key ON registered_models  (is_default) WHERE is_default`,
    );
    await runner.query(
      `CREATE INDEX registered_models_organization_id ON registered_models  (organization_id) WHERE organization_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX registered_models_user_id ON registered_models  (user_id) WHERE user_id IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE model_usage ADD own_key boolean NOT NULL DEFAULT false`);
    await runner.query(
      `ALTER TABLE registered_models ADD CONSTRAINT registered_models_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE registered_models ADD CONSTRAINT registered_models_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE registered_models DROP CONSTRAINT registered_models_organization_id_fkey`);
    await runner.query(`ALTER TABLE registered_models DROP CONSTRAINT registered_models_user_id_fkey`);
    await runner.query(`ALTER TABLE model_usage DROP COLUMN own_key`);
    await runner.query(`DROP INDEX public.registered_models_user_id`);
    await runner.query(`DROP INDEX public.registered_models_organization_id`);
    await runner.query(`DROP INDEX public.registered_models_default_key`);
    await runner.query(`DROP TABLE registered_models`);
  }
}

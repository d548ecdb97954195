import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Directories of organisations that keep their accounts and groups here by SCIM. */
export class Scim1763800000700 implements MigrationInterface {
  name = 'Scim1763800000700';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...users, ...tokens, ...groups]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [
      'DROP TABLE scim_group_members, scim_groups, scim_tokens',
      'DROP TRIGGER users_modified ON users',
      'DROP FUNCTION users_are_modified()',
      'ALTER TABLE users DROP COLUMN scim_display_name, DROP COLUMN detached_from_id, DROP COLUMN modified_at',
      'DROP INDEX users_scim_external_id_key',
    ])
      await runner.query(statement);
  }
}

const users = [
  `ALTER TABLE users
     ADD COLUMN scim_display_name text,
     ADD COLUMN detached_from_id integer
       CONSTRAINT users_detached_from_id_fkey REFERENCES organizations (id) ON DELETE SET NULL,
     ADD COLUMN modified_at timestamptz NOT NULL DEFAULT now()`,
  'CREATE UNIQUE INDEX users_scim_external_id_key ON users (organization_id, scim_external_id)',
  'CREATE INDEX users_detached_from_id ON users (detached_from_id)',
  // Whoever changes what a directory sees; a sign-in writes none of these columns.
  `CREATE FUNCTION users_are_modified() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     NEW.modified_at := now();
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER users_modified BEFORE UPDATE OF username, email, first_name, last_name, phone, language, is_active,
     organization_id, scim_external_id, scim_display_name ON users FOR EACH ROW EXECUTE FUNCTION users_are_modified()`,
];

const tokens = [
  `CREATE TABLE scim_tokens (
    id uuid CONSTRAINT scim_tokens_pkey PRIMARY KEY,
    organization_id integer NOT NULL
      CONSTRAINT scim_tokens_organization_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    token_hash bytea NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  'CREATE UNIQUE INDEX scim_tokens_token_hash_key ON scim_tokens (token_hash)',
  'CREATE INDEX scim_tokens_organization_id ON scim_tokens (organization_id)',
];

const groups = [
  `CREATE TABLE scim_groups (
    id uuid CONSTRAINT scim_groups_pkey PRIMARY KEY,
    organization_id integer NOT NULL
      CONSTRAINT scim_groups_organization_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    display_name text NOT NULL,
    external_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    modified_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE UNIQUE INDEX scim_groups_display_name_key ON scim_groups (organization_id, lower(display_name))',
  'CREATE UNIQUE INDEX scim_groups_external_id_key ON scim_groups (organization_id, external_id)',
  `CREATE TABLE scim_group_members (
    group_id uuid NOT NULL CONSTRAINT scim_group_members_group_id_fkey REFERENCES scim_groups (id) ON DELETE CASCADE,
    user_id integer NOT NULL CONSTRAINT scim_group_members_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT scim_group_members_pkey PRIMARY KEY (group_id, user_id)
  )`,
  'CREATE INDEX scim_group_members_user_id ON scim_group_members (user_id)',
];

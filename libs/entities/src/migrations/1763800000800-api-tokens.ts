import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API tokens: sessions that were made by hand, with a name, scopes and no refresh token. */
export class ApiTokens1763800000800 implements MigrationInterface {
  name = 'ApiTokens1763800000800';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_tokens');
    await runner.query(`DELETE FROM sessions WHERE method = 'api_token'`);
    await runner.query(`ALTER TABLE sessions DROP CONSTRAINT sessions_method_check,
      ADD CONSTRAINT sessions_method_check CHECK (method IN ('password', 'passkey', 'sso_org', 'sso_platform'))`);
  }
}

const statements = [
  `ALTER TABLE sessions DROP CONSTRAINT sessions_method_check,
     ADD CONSTRAINT sessions_method_check CHECK (method IN ('password', 'passkey', 'sso_org', 'sso_platform', 'api_token'))`,
  `CREATE TABLE api_tokens (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT api_tokens_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT api_tokens_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    session_id uuid NOT NULL CONSTRAINT api_tokens_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    name text NOT NULL,
    scopes text[] NOT NULL,
    hint text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
  )`,
  'CREATE UNIQUE INDEX api_tokens_session_id_key ON api_tokens (session_id)',
  'CREATE INDEX api_tokens_user_id ON api_tokens (user_id)',
];

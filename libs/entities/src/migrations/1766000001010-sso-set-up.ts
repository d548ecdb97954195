import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may set an organisation's sign-in up: nonces of domain proofs, and tokens that an operator hands out. */
export class SsoSetUp1766000001010 implements MigrationInterface {
  name = 'SsoSetUp1766000001010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sso_domain_challenges (
        domain text CONSTRAINT sso_domain_challenges_pkey PRIMARY KEY,
        nonce bytea NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX sso_domain_challenges_expires_at ON sso_domain_challenges (expires_at)');
    await runner.query(`
      CREATE TABLE sso_setup_tokens (
        id uuid CONSTRAINT sso_setup_tokens_pkey PRIMARY KEY,
        token_hash bytea NOT NULL,
        domain text NOT NULL,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX sso_setup_tokens_token_hash_key ON sso_setup_tokens (token_hash)');
    await runner.query('CREATE INDEX sso_setup_tokens_expires_at ON sso_setup_tokens (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sso_setup_tokens');
    await runner.query('DROP TABLE sso_domain_challenges');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The challenges of passkey registrations and sign-ins; passkeys themselves came with the identity tables. */
export class Passkeys1763800000500 implements MigrationInterface {
  name = 'Passkeys1763800000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE webauthn_ceremonies (
      id uuid CONSTRAINT webauthn_ceremonies_pkey PRIMARY KEY,
      kind text NOT NULL,
      user_id integer CONSTRAINT webauthn_ceremonies_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
      challenge text NOT NULL,
      name text NOT NULL DEFAULT '',
      expires_at timestamptz NOT NULL,
      consumed_at timestamptz,
      CONSTRAINT webauthn_ceremonies_kind_check
        CHECK ((kind = 'register' AND user_id IS NOT NULL) OR (kind = 'login' AND user_id IS NULL))
    )`);
    await runner.query('CREATE UNIQUE INDEX webauthn_ceremonies_challenge_key ON webauthn_ceremonies (challenge)');
    await runner.query('CREATE INDEX webauthn_ceremonies_user_id ON webauthn_ceremonies (user_id)');
    await runner.query('CREATE INDEX webauthn_ceremonies_expires_at ON webauthn_ceremonies (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webauthn_ceremonies');
  }
}

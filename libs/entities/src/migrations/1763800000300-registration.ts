import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Promo codes, one-time codes, and counters of what must stay rare. */
export class Registration1763800000300 implements MigrationInterface {
  name = 'Registration1763800000300';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE slow_counters, one_time_codes, promo_codes');
  }
}

const statements = [
  `CREATE TABLE promo_codes (
    code text CONSTRAINT promo_codes_pkey PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    redeemed_by_id integer CONSTRAINT promo_codes_redeemed_by_id_fkey REFERENCES users (id) ON DELETE SET NULL,
    redeemed_at timestamptz
  )`,
  'CREATE INDEX promo_codes_redeemed_by_id ON promo_codes (redeemed_by_id)',
  `CREATE TABLE one_time_codes (
    user_id integer NOT NULL CONSTRAINT one_time_codes_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    purpose text NOT NULL,
    code_mac bytea NOT NULL,
    destination text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL,
    CONSTRAINT one_time_codes_pkey PRIMARY KEY (user_id, purpose),
    CONSTRAINT one_time_codes_purpose_check CHECK (purpose IN ('email', 'phone'))
  )`,
  'CREATE UNIQUE INDEX one_time_codes_mac_key ON one_time_codes (purpose, code_mac)',
  'CREATE INDEX one_time_codes_expires_at ON one_time_codes (expires_at)',
  `CREATE TABLE slow_counters (
    bucket text NOT NULL,
    who text NOT NULL,
    hits integer NOT NULL,
    ends_at timestamptz NOT NULL,
    CONSTRAINT slow_counters_pkey PRIMARY KEY (bucket, who)
  )`,
  'CREATE INDEX slow_counters_ends_at ON slow_counters (ends_at)',
];

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Subscriptions1766000005000 implements MigrationInterface {
  name = 'Subscriptions1766000005000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE subscriptions (
        id uuid NOT NULL,
        owner_user_id integer,
        organization_id integer,
        status text NOT NULL,
        plan_code text NOT NULL,
        plan jsonb NOT NULL,
        billing_period text NOT NULL,
        seats integer NOT NULL,
        coupon_code text,
        processor text NOT NULL,
        processor_customer_id text,
        processor_subscription_id text,
        processor_checkout_id text,
        checkout_url text,
        checkout_expires_at TIMESTAMP WITH TIME ZONE,
        trial_end TIMESTAMP WITH TIME ZONE,
        current_period_end TIMESTAMP WITH TIME ZONE,
        canceled_at TIMESTAMP WITH TIME ZONE,
        cancel_reason text,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT subscriptions_seats_check CHECK (seats >= 1),
        CONSTRAINT subscriptions_billing_period_check CHECK (billing_period IN ('monthly','yearly')),
        CONSTRAINT subscriptions_status_check CHECK (status IN ('incomplete','incomplete_expired','trialing','active','past_due','unpaid','canceled')),
        CONSTRAINT subscriptions_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX subscriptions_processor_checkout_id_key ON subscriptions  (processor_checkout_id) `,
    );
    await runner.query(
      `CREATE UNIQUE INDEX subscriptions_processor_subscription_id_key ON subscriptions  (processor_subscription_id) `,
    );
    await runner.query(
      `CREATE UNIQUE INDEX subscriptions_live_of_organization ON subscriptions  (organization_id) WHERE organization_id IS NOT NULL AND status IN ('trialing','active','past_due','unpaid')`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX subscriptions_live_of_user ON subscriptions  (owner_user_id) WHERE organization_id IS NULL AND status IN ('trialing','active','past_due','unpaid')`,
    );
    await runner.query(`CREATE INDEX subscriptions_organization_id ON subscriptions  (organization_id) `);
    await runner.query(`CREATE INDEX subscriptions_owner_user_id ON subscriptions  (owner_user_id) `);
    await runner.query('ALTER TABLE organizations ADD plan_seats integer');
    await runner.query(`ALTER TABLE users ADD organization_role text NOT NULL DEFAULT 'member'`);
    await runner.query(
      `ALTER TABLE users ADD CONSTRAINT users_organization_role_check CHECK (organization_role IN ('owner', 'admin', 'member', 'viewer')) NOT VALID`,
    );
    await runner.query('ALTER TABLE users VALIDATE CONSTRAINT users_organization_role_check');
    await runner.query(
      `ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE SET NULL ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_organization_id_fkey`);
    await runner.query(`ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_owner_user_id_fkey`);
    await runner.query(`ALTER TABLE users DROP CONSTRAINT users_organization_role_check`);
    await runner.query(`ALTER TABLE users DROP COLUMN organization_role`);
    await runner.query('ALTER TABLE organizations DROP COLUMN plan_seats');
    await runner.query(`DROP INDEX public.subscriptions_owner_user_id`);
    await runner.query(`DROP INDEX public.subscriptions_organization_id`);
    await runner.query(`DROP INDEX public.subscriptions_live_of_user`);
    await runner.query(`DROP INDEX public.subscriptions_live_of_organization`);
    await runner.query(`DROP INDEX public.subscriptions_processor_subscription_id_key`);
    await runner.query(`DROP INDEX public.subscriptions_processor_checkout_id_key`);
    await runner.query(`DROP TABLE subscriptions`);
  }
}

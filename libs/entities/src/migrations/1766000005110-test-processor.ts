import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TestProcessor1766000005110 implements MigrationInterface {
  name = 'TestProcessor1766000005110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE billing_test_customers (
        id text NOT NULL,
        email text NOT NULL,
        declines boolean NOT NULL DEFAULT false,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT billing_test_customers_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE TABLE billing_test_checkouts (
        id text NOT NULL,
        idempotency_key text NOT NULL,
        reference text NOT NULL,
        status text NOT NULL DEFAULT 'open',
        ordered jsonb NOT NULL,
        email text NOT NULL,
        customer_id text,
        subscription_id text,
        expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        revision integer NOT NULL DEFAULT '1',
        told_revision integer NOT NULL DEFAULT '1',
        CONSTRAINT billing_test_checkouts_status_check CHECK (status IN ('open','complete','expired')),
        CONSTRAINT billing_test_checkouts_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX billing_test_checkouts_untold ON billing_test_checkouts  (created_at) WHERE told_revision < revision`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX billing_test_checkouts_idempotency_key_key ON billing_test_checkouts  (idempotency_key) `,
    );
    await runner.query(`CREATE TABLE billing_test_subscriptions (
        id text NOT NULL,
        reference text NOT NULL,
        customer_id text NOT NULL,
        status text NOT NULL,
        plan_code text NOT NULL,
        plan_name text NOT NULL,
        period text NOT NULL,
        seats integer NOT NULL,
        unit_amount bigint NOT NULL,
        currency text NOT NULL,
        coupon jsonb,
        coupon_applied boolean NOT NULL DEFAULT false,
        credit bigint NOT NULL DEFAULT '0',
        anchor_at TIMESTAMP WITH TIME ZONE NOT NULL,
        periods integer NOT NULL DEFAULT '0',
        period_start TIMESTAMP WITH TIME ZONE NOT NULL,
        period_end TIMESTAMP WITH TIME ZONE NOT NULL,
        trial_end TIMESTAMP WITH TIME ZONE,
        failed_tries integer NOT NULL DEFAULT '0',
        due_at TIMESTAMP WITH TIME ZONE,
        change_key text,
        canceled_at TIMESTAMP WITH TIME ZONE,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        revision integer NOT NULL DEFAULT '1',
        told_revision integer NOT NULL DEFAULT '0',
        CONSTRAINT billing_test_subscriptions_period_check CHECK (period IN ('monthly','yearly')),
        CONSTRAINT billing_test_subscriptions_status_check CHECK (status IN ('trialing','active','past_due','unpaid','canceled')),
        CONSTRAINT billing_test_subscriptions_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX billing_test_subscriptions_untold ON billing_test_subscriptions  (created_at) WHERE told_revision < revision`,
    );
    await runner.query(
      `CREATE INDEX billing_test_subscriptions_due ON billing_test_subscriptions  (due_at) WHERE due_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX billing_test_subscriptions_customer_id ON billing_test_subscriptions  (customer_id) `,
    );
    await runner.query(`CREATE TABLE billing_test_invoices (
        id text NOT NULL,
        subscription_id text NOT NULL,
        number text NOT NULL,
        status text NOT NULL,
        description text NOT NULL,
        plan_code text NOT NULL,
        period text NOT NULL,
        seats integer NOT NULL,
        amount bigint NOT NULL,
        currency text NOT NULL,
        coupon_code text,
        period_start TIMESTAMP WITH TIME ZONE NOT NULL,
        period_end TIMESTAMP WITH TIME ZONE NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL,
        paid_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT billing_test_invoices_status_check CHECK (status IN ('paid','open','failed','refunded','void')),
        CONSTRAINT billing_test_invoices_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      `CREATE INDEX billing_test_invoices_subscription_id ON billing_test_invoices  (subscription_id, created_at) `,
    );
    await runner.query(`CREATE TABLE billing_test_portals (
        id text NOT NULL,
        customer_id text NOT NULL,
        return_url text NOT NULL,
        expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT billing_test_portals_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`CREATE INDEX billing_test_portals_customer_id ON billing_test_portals  (customer_id) `);
    await runner.query(`CREATE INDEX billing_test_portals_expires_at ON billing_test_portals  (expires_at) `);
    await runner.query(
      `ALTER TABLE billing_test_subscriptions ADD CONSTRAINT billing_test_subscriptions_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES billing_test_customers(id) ON DELETE NO ACTION ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE billing_test_invoices ADD CONSTRAINT billing_test_invoices_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES billing_test_subscriptions(id) ON DELETE NO ACTION ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE billing_test_portals ADD CONSTRAINT billing_test_portals_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES billing_test_customers(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE billing_test_portals DROP CONSTRAINT billing_test_portals_customer_id_fkey`);
    await runner.query(`ALTER TABLE billing_test_invoices DROP CONSTRAINT billing_test_invoices_subscription_id_fkey`);
    await runner.query(
      `ALTER TABLE billing_test_subscriptions DROP CONSTRAINT billing_test_subscriptions_customer_id_fkey`,
    );
    await runner.query(`DROP INDEX public.billing_test_portals_expires_at`);
    await runner.query(`DROP INDEX public.billing_test_portals_customer_id`);
    await runner.query(`DROP TABLE billing_test_portals`);
    await runner.query(`DROP INDEX public.billing_test_invoices_subscription_id`);
    await runner.query(`DROP TABLE billing_test_invoices`);
    await runner.query(`DROP INDEX public.billing_test_subscriptions_customer_id`);
    await runner.query(`DROP INDEX public.billing_test_subscriptions_due`);
    await runner.query(`DROP INDEX public.billing_test_subscriptions_untold`);
    await runner.query(`DROP TABLE billing_test_subscriptions`);
    await runner.query(`DROP INDEX public.billing_test_checkouts_idempotency_key_key`);
    await runner.query(`DROP INDEX public.billing_test_checkouts_untold`);
    await runner.query(`DROP TABLE billing_test_checkouts`);
    await runner.query(`DROP TABLE billing_test_customers`);
  }
}

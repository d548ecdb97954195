import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks by URL: how a credential checks what comes to its address, the addresses that are taken, and what `respond`
 * nodes answer to the callers who wait.
 */
export class WebhookUrls1766000001100 implements MigrationInterface {
  name = 'WebhookUrls1766000001100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_webhook_receivers (
        webhook_id uuid CONSTRAINT workflow_webhook_receivers_pkey PRIMARY KEY,
        scheme text NOT NULL,
        challenge text NOT NULL,
        settings_sealed bytea NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_webhook_receivers_webhook_id_fkey FOREIGN KEY (webhook_id)
          REFERENCES workflow_webhooks (webhook_id) ON DELETE CASCADE
      )`);
    // The token is 256 random bits, so a plain hash of it is enough to find the row by.
    await runner.query(`
      CREATE TABLE workflow_webhook_urls (
        id uuid CONSTRAINT workflow_webhook_urls_pkey PRIMARY KEY,
        webhook_id uuid NOT NULL,
        token_hash bytea NOT NULL,
        token_sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        CONSTRAINT workflow_webhook_urls_webhook_id_fkey FOREIGN KEY (webhook_id)
          REFERENCES workflow_webhook_receivers (webhook_id) ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX workflow_webhook_urls_token_hash_key ON workflow_webhook_urls (token_hash)',
    );
    await runner.query('CREATE INDEX workflow_webhook_urls_webhook ON workflow_webhook_urls (webhook_id)');
    await runner.query(
      'CREATE UNIQUE INDEX workflow_webhook_urls_current ON workflow_webhook_urls (webhook_id) WHERE expires_at IS NULL',
    );
    await runner.query(`
      CREATE TABLE workflow_responses (
        request_id uuid CONSTRAINT workflow_responses_pkey PRIMARY KEY,
        run_version integer NOT NULL,
        answered_by text NOT NULL,
        status integer NOT NULL,
        headers jsonb NOT NULL,
        body bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT workflow_responses_status_check CHECK (status BETWEEN 200 AND 599),
        CONSTRAINT workflow_responses_request_id_fkey FOREIGN KEY (request_id)
          REFERENCES workflow_requests (id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workflow_responses');
    await runner.query('DROP TABLE workflow_webhook_urls');
    await runner.query('DROP TABLE workflow_webhook_receivers');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const LIVING = 'w.id = c.workflow AND w.deleted_at IS NULL FOR NO KEY UPDATE';
const LIVING_OF_ACTIVE = `w.id = c.workflow AND w.deleted_at IS NULL
              AND EXISTS (SELECT 1 FROM users o WHERE o.id = w.owner_id AND o.is_active) FOR NO KEY UPDATE`;

/**
 * A deactivated account takes no call from that moment on. What processes remember of its credentials is a few seconds
 * old, and calls that were taken in meanwhile would fill the queue, since nothing of the account runs.
 */
export class WebhooksOfTheInactive1766000001160 implements MigrationInterface {
  name = 'WebhooksOfTheInactive1766000001160';

  async up(runner: QueryRunner): Promise<void> {
    await replaceInEnqueue(runner, LIVING, LIVING_OF_ACTIVE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceInEnqueue(runner, LIVING_OF_ACTIVE, LIVING);
  }
}

async function replaceInEnqueue(runner: QueryRunner, old: string, replacement: string): Promise<void> {
  const [{ source }] = (await runner.query(`SELECT pg_get_functiondef('workflow_enqueue'::regproc) AS source`)) as [
    { source: string },
  ];
  // On the way back, and forth again, it is that of `functions/`, which is put in its place afterwards.
  if (!source.includes(old)) return;
  await runner.query(source.replaceAll(old, replacement));
}

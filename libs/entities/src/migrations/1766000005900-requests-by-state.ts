import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index that finds all requests of a workflow finds those of one state too: a plan that was made while the table was
 * small may take it for what waits next, and would read all that has ended. Outside of a transaction: the index is made
 * while others write.
 */
export class RequestsByState1766000005900 implements MigrationInterface {
  name = 'RequestsByState1766000005900';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS public.workflow_requests_by_state');
    await runner.query(
      'CREATE INDEX CONCURRENTLY workflow_requests_by_state ON workflow_requests (workflow_id, status, seq)',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS public.workflow_requests_workflow_seq');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX workflow_requests_workflow_seq ON workflow_requests (workflow_id, seq)');
    await runner.query('DROP INDEX public.workflow_requests_by_state');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log of one organisation, newest first. */
export class AuditOfOrganizations1766000005510 implements MigrationInterface {
  name = 'AuditOfOrganizations1766000005510';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS audit_events_organization_id');
    await runner.query(
      `CREATE INDEX CONCURRENTLY audit_events_organization_id ON audit_events (organization_id, seq)
       WHERE organization_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_events_organization_id');
  }
}

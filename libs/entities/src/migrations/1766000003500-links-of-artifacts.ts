import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A permanent link may lead to an artifact, and goes with it. */
export class LinksOfArtifacts1766000003500 implements MigrationInterface {
  name = 'LinksOfArtifacts1766000003500';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS permanent_links_artifact_uid');
    await runner.query(
      'CREATE INDEX CONCURRENTLY permanent_links_artifact_uid ON permanent_links (artifact_uid) WHERE artifact_uid IS NOT NULL',
    );
    await runner.query('ALTER TABLE permanent_links DROP CONSTRAINT IF EXISTS permanent_links_artifact_uid_fkey');
    // No link has led to an artifact before.
    await runner.query(
      `ALTER TABLE permanent_links ADD CONSTRAINT permanent_links_artifact_uid_fkey FOREIGN KEY (artifact_uid)
         REFERENCES artifacts (id) ON DELETE CASCADE NOT VALID`,
    );
    await runner.query('ALTER TABLE permanent_links VALIDATE CONSTRAINT permanent_links_artifact_uid_fkey');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE permanent_links DROP CONSTRAINT permanent_links_artifact_uid_fkey');
    await runner.query('DROP INDEX permanent_links_artifact_uid');
  }
}

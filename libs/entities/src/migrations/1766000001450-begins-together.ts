import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `workflow_begin_runs` and `workflow_enqueue_plain` came with the functions of their release. */
export class BeginsTogether1766000001450 implements MigrationInterface {
  name = 'BeginsTogether1766000001450';

  async up(): Promise<void> {}

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS workflow_begin_runs, workflow_enqueue_plain');
  }
}

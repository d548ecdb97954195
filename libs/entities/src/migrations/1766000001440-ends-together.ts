import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `workflow_finish_runs` came with the functions of its release; it has to go before the tables whose rows it answers with. */
export class EndsTogether1766000001440 implements MigrationInterface {
  name = 'EndsTogether1766000001440';

  async up(): Promise<void> {}

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS workflow_finish_runs');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which process does a periodic task that one of all replicas is enough for. */
export class TaskLeases1766000001210 implements MigrationInterface {
  name = 'TaskLeases1766000001210';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE task_leases (
        name text CONSTRAINT task_leases_pkey PRIMARY KEY,
        holder uuid NOT NULL,
        leased_until timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE task_leases');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TurnsAtPages1766000004000 implements MigrationInterface {
  name = 'TurnsAtPages1766000004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE artifact_chats ADD turn jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE artifact_chats DROP COLUMN turn`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ArtifactChats1766000003800 implements MigrationInterface {
  name = 'ArtifactChats1766000003800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE artifact_chats (
        session_id integer NOT NULL,
        artifact_id uuid,
        sources text array NOT NULL DEFAULT '{}',
        draft jsonb,
        calls jsonb NOT NULL DEFAULT '[]',
        updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT artifact_chats_pkey PRIMARY KEY (session_id)
      )`);
    await runner.query(`CREATE INDEX artifact_chats_artifact_id ON artifact_chats  (artifact_id) `);
    await runner.query(
      `ALTER TABLE artifact_chats ADD CONSTRAINT artifact_chats_session_id_fkey FOREIGN KEY (session_id) REFERENCES chat_sessions(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await runner.query(
      `ALTER TABLE artifact_chats ADD CONSTRAINT artifact_chats_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifacts(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE artifact_chats DROP CONSTRAINT artifact_chats_artifact_id_fkey`);
    await runner.query(`ALTER TABLE artifact_chats DROP CONSTRAINT artifact_chats_session_id_fkey`);
    await runner.query(`DROP INDEX public.artifact_chats_artifact_id`);
    await runner.query(`DROP TABLE artifact_chats`);
  }
}

import { type ArtifactDeletion, type ArtifactImpact, type ArtifactPart, ArtifactParts } from '@app/artifacts';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';

const SAMPLE = 5;

/** The conversations that an artifact was made and edited in: they go with it, and are called like it. */
@Injectable()
export class ConversationsOfArtifact implements ArtifactPart, OnModuleInit {
  readonly name = 'conversations';

  constructor(private readonly parts: ArtifactParts) {}

  onModuleInit(): void {
    this.parts.register(this);
  }

  async countFor(artifactId: string, db: DataSource | EntityManager): Promise<Partial<ArtifactImpact>> {
    const [row] = await db.query<[{ count: number; sample: string[] }]>(
      `SELECT count(*)::int AS count, coalesce((array_agg(s.title ORDER BY s.id DESC))[1:${SAMPLE}], '{}') AS sample
       FROM artifact_chats c JOIN chat_sessions s ON s.id = c.session_id WHERE c.artifact_id = $1`,
      [artifactId],
    );
    return { sessions: row };
  }

  /** What is at work in them loses its claim, and writes nothing more. */
  async deleteFor(artifactId: string, tx: EntityManager): Promise<Partial<ArtifactDeletion>> {
    const [, sessions] = await tx.query<[unknown, number]>(
      'DELETE FROM chat_sessions WHERE id IN (SELECT session_id FROM artifact_chats WHERE artifact_id = $1)',
      [artifactId],
    );
    return { sessions };
  }

  async renamed(artifactId: string, title: string, tx: EntityManager): Promise<void> {
    await tx.query(
      'UPDATE chat_sessions SET title = $2 WHERE id IN (SELECT session_id FROM artifact_chats WHERE artifact_id = $1)',
      [artifactId, title],
    );
  }
}

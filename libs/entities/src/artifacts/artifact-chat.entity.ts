import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ChatSession } from '../retrieval/chat.entity.js';
import { Artifact } from './artifact.entity.js';

/** What a conversation of artifact-chat is about: it stays with it (docs/contract/artifact-chat.md#conversations). */
@Entity('artifact_chats')
@Index('artifact_chats_artifact_id', ['artifactId'])
export class ArtifactChat {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'artifact_chats_pkey' })
  @ForeignKey(() => ChatSession, 'id', { name: 'artifact_chats_session_id_fkey', onDelete: 'CASCADE' })
  sessionId: number;

  /** Null until the first version of a new page is published. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Artifact, { name: 'artifact_chats_artifact_id_fkey', onDelete: 'CASCADE' })
  artifactId: string | null;

  /** Refs that its first call named, sorted. */
  @Column('text', { array: true, default: () => `'{}'` })
  sources: string[];

  /** The page as the agent has written it so far; null while it has changed nothing. */
  @Column('jsonb', { nullable: true })
  draft: object | null;

  /** What the turn that was at it last has checked and published: `{id, failedChecks, problems, published}`. */
  @Column('jsonb', { nullable: true })
  turn: object | null;

  /** Calls of the turn at work that have changed the draft: `{key, output}` each, so that a repetition changes nothing. */
  @Column('jsonb', { default: () => `'[]'` })
  calls: object[];

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

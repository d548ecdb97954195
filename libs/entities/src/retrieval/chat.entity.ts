import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** One conversation of one user (document 3, B7). */
@Entity('chat_sessions')
@Index('chat_sessions_user_conversation', ['userId', 'kind', 'conversationId'], { unique: true })
export class ChatSession {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'chat_sessions_pkey',
  })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'chat_sessions_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  /** `document` for questions to the semantic store; the other kinds of B7 follow with their chats. */
  @Column('text')
  kind: string;

  /** The client's name for it, or ours. */
  @Column('text')
  conversationId: string;

  @Column('text')
  title: string;

  @Column('boolean', { default: false })
  pinned: boolean;

  @Column('timestamptz', { nullable: true })
  lastMessageAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** A question and its answer. */
@Entity('chat_turns')
@Check('chat_turns_status_check', `status IN ('running', 'completed', 'failed', 'interrupted')`)
@Index('chat_turns_session_created', ['sessionId', 'createdAt'])
@Index('chat_turns_seq', ['seq'], { unique: true })
export class ChatTurn {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'chat_turns_pkey' })
  id: string;

  /** Numbers messages: the question is twice this less one, the answer twice this. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  seq: string;

  @Column('int')
  @ForeignKey(() => ChatSession, 'id', { name: 'chat_turns_session_id_fkey', onDelete: 'CASCADE' })
  sessionId: number;

  @Column('text')
  status: string;

  @Column('text')
  question: string;

  /** As far as it got. */
  @Column('text', { default: '' })
  answer: string;

  /** As they went to the client. */
  @Column('jsonb', { default: [] })
  sources: unknown[];

  @Column('text')
  model: string;

  /** Null when the model does not count. */
  @Column('int', { nullable: true })
  promptTokens: number | null;

  @Column('int', { nullable: true })
  completionTokens: number | null;

  /** '' unless it failed. */
  @Column('text', { default: '' })
  errorCode: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}

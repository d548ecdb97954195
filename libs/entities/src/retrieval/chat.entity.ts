import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** One conversation of one user (docs/contract/chats.md#conversations). */
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

  /** `document` for questions to the semantic store; the other kinds stand in docs/contract/chats.md#conversations. */
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

  /** Whose words an agent has read in it, beside the user's: label by key. What they say may not reach others unasked. */
  @Column('jsonb', { default: {} })
  heard: Record<string, string>;
}

/** A question and its answer. */
@Entity('chat_turns')
@Check(
  'chat_turns_status_check',
  `status IN ('queued', 'running', 'waiting_input', 'completed', 'failed', 'interrupted')`,
)
@Check('chat_turns_rating_check', `rating IN ('up', 'down')`)
@Index('chat_turns_session_created', ['sessionId', 'createdAt'])
@Index('chat_turns_seq', ['seq'], { unique: true })
@Index('chat_turns_session_seq', ['sessionId', 'seq'])
@Index('chat_turns_words', { synchronize: false })
@Index('chat_turns_client_turn_id', ['sessionId', 'clientTurnId'], { unique: true })
@Index('chat_turns_one_at_work', ['sessionId'], {
  unique: true,
  where: `status IN ('running', 'waiting_input') AND handler <> ''`,
})
@Index('chat_turns_unfinished', ['createdAt'], { where: `status IN ('queued', 'running', 'waiting_input')` })
@Index('chat_turns_finished_at', ['finishedAt'])
@Index('chat_turns_sealed', ['finishedAt'], { where: `request ? 'sealed'` })
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

  /**
   * Whom the turn was begun with, of GET /users/models/: what is done beside it and after it asks no other model. Null
   * of turns that a former release began, and of encrypted ones.
   */
  @Column('int', { nullable: true })
  modelId: number | null;

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

  /** Which handler of the runner works on it; '' for one that an agent of another server was asked, or an old release wrote. */
  @Column('text', { default: '' })
  handler: string;

  /** What was asked, beside the question: the handler knows its shape. */
  @Column('jsonb', { default: {} })
  request: Record<string, unknown>;

  /** The client's name for it, which makes a repeated call find it. */
  @Column('text', { nullable: true })
  clientTurnId: string | null;

  /** The turn that this one was asked for instead of. */
  @Column('uuid', { nullable: true })
  replaces: string | null;

  /** Another one was asked for instead: it is not part of the conversation any more. */
  @Column('boolean', { default: false })
  isReplaced: boolean;

  /** Claims so far: the fence of whoever works on it. */
  @Column('int', { default: 0 })
  attempt: number;

  /** Workers that were lost with it: one that ends every worker is given up. */
  @Column('int', { default: 0 })
  losses: number;

  @Column('text', { nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  /** When it fails at the latest; set with the first claim. */
  @Column('timestamptz', { nullable: true })
  deadlineAt: Date | null;

  /** What the handler goes on from when its worker was lost. */
  @Column('jsonb', { nullable: true })
  state: Record<string, unknown> | null;

  /** What it waits to be told. */
  @Column('jsonb', { nullable: true })
  pending: Record<string, unknown> | null;

  /** What it was told; the first reply counts. */
  @Column('jsonb', { nullable: true })
  reply: Record<string, unknown> | null;

  /** When it goes on without a reply. */
  @Column('timestamptz', { nullable: true })
  wakeAt: Date | null;

  /** What the answer came with, beside text and sources. */
  @Column('jsonb', { nullable: true })
  result: Record<string, unknown> | null;

  @Column('text', { default: '' })
  errorDetail: string;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('text', { nullable: true })
  rating: 'up' | 'down' | null;

  @Column('text', { default: '' })
  ratingComment: string;
}

/** What was told of a turn while it was under way. Written by whoever claimed it alone, numbered without gaps from 1. */
@Entity('chat_turn_events')
export class ChatTurnEvent {
  /** Deleted with its turn, by a trigger: a foreign key would lock the turn's row with every piece of text. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'chat_turn_events_pkey' })
  turnId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'chat_turn_events_pkey' })
  seq: number;

  @Column('text')
  type: string;

  @Column('jsonb')
  data: Record<string, unknown>;
}

/** Whose a conversation is: that of the first user who wrote in it (docs/contract/chats.md#conversations). */
@Entity('chat_conversations')
@Index('chat_conversations_user', ['userId'])
export class ChatConversation {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'chat_conversations_pkey' })
  conversationId: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'chat_conversations_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('timestamptz', { default: () => 'now()' })
  claimedAt: Date;
}

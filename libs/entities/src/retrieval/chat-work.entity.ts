import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ChatSession, ChatTurn } from './chat.entity.js';

/** What an agent did in a turn, in short, for later turns of its conversation. Written with the turn's end. */
@Entity('chat_turn_work')
@Index('chat_turn_work_uids', { synchronize: false })
export class ChatTurnWork {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'chat_turn_work_pkey' })
  @ForeignKey(() => ChatTurn, 'id', { name: 'chat_turn_work_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;

  /** JSON, packed; null once it must not be read any more. */
  @Column('bytea', { nullable: true })
  workSealed: Buffer | null;

  /** Documents and table files whose contents it holds: whoever may not read one of them gets nothing of it. */
  @Column('uuid', { array: true, default: [] })
  uids: string[];

  /** About how much a model reads of it. */
  @Column('int', { default: 0 })
  tokens: number;

  /** The highest citation number of the conversation so far. */
  @Column('int', { default: 0 })
  citations: number;
}

/** The older turns of a conversation in short. */
@Entity('chat_session_summaries')
@Index('chat_session_summaries_uids', { synchronize: false })
export class ChatSessionSummary {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'chat_session_summaries_pkey' })
  @ForeignKey(() => ChatSession, 'id', { name: 'chat_session_summaries_session_id_fkey', onDelete: 'CASCADE' })
  sessionId: number;

  /** The number of the last turn that it covers. */
  @Column('bigint')
  throughSeq: string;

  /** JSON, packed. */
  @Column('bytea')
  summarySealed: Buffer;

  /** Documents and table files whose contents it may hold. */
  @Column('uuid', { array: true, default: [] })
  uids: string[];
}

/** What a turn at work goes on from, beside `chat_turns.state`: texts, each written once. Gone with the turn's end. */
@Entity('chat_turn_steps')
export class ChatTurnStep {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'chat_turn_steps_pkey' })
  @ForeignKey(() => ChatTurn, 'id', { name: 'chat_turn_steps_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'chat_turn_steps_pkey' })
  seq: number;

  /** A JSON list of texts, packed. */
  @Column('bytea')
  texts: Buffer;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ChatTurn } from '../retrieval/chat.entity.js';

/** What was said in a call to a model, or to a tool, of a turn (docs/contract/chats.md#trace). */
@Entity('chat_trace_entries')
@Check('chat_trace_entries_kind_check', `kind IN ('model', 'tool')`)
@Index('chat_trace_entries_turn', ['turnId'])
@Index('chat_trace_entries_created', ['createdAt'])
export class ChatTraceEntry {
  /** Of a model: that of its row in `model_usage`, which has its tokens and cost. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'chat_trace_entries_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => ChatTurn, { name: 'chat_trace_entries_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;

  @Column('text')
  kind: 'model' | 'tool';

  /** When it began. */
  @Column('timestamptz')
  beganAt: Date;

  @Column('bytea')
  contentSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

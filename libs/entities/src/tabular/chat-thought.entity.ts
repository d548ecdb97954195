import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ChatTurn } from '../retrieval/chat.entity.js';

/** A step on the way to the answer of a turn (docs/contract/tables.md#thoughts-and-kept-messages). */
@Entity('chat_thoughts')
@Check('chat_thoughts_type_check', `type IN ('plan', 'schema', 'sql', 'result', 'error', 'answer')`)
export class ChatThought {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'chat_thoughts_pkey' })
  @ForeignKey(() => ChatTurn, { name: 'chat_thoughts_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;

  /** From 1. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'chat_thoughts_pkey' })
  step: number;

  @Column('text')
  type: string;

  /** '' for an answer: that stands in the turn. */
  @Column('text')
  text: string;

  @Column('text', { nullable: true })
  sql: string | null;

  @Column('int', { nullable: true })
  rowCount: number | null;

  @Column('int', { default: 0 })
  durationMs: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

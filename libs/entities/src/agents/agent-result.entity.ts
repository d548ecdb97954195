import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ChatTurn } from '../retrieval/chat.entity.js';

/** A result of a tool that was too long for a model to be shown. It goes with its turn, and earlier by itself. */
@Entity('agent_results')
@Index('agent_results_turn_handle', ['turnId', 'handle'])
@Index('agent_results_expires_at', ['expiresAt'])
export class AgentResult {
  /** Of turn and call: a repetition replaces it. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'agent_results_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => ChatTurn, 'id', { name: 'agent_results_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;

  /** What the model calls it. */
  @Column('text')
  handle: string;

  @Column('text')
  tool: string;

  /** Of the text. */
  @Column('int')
  characters: number;

  /** The text, packed and sealed. */
  @Column('bytea')
  contentSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}

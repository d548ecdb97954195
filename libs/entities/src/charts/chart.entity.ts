import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { ChatTurn } from '../retrieval/chat.entity.js';

/** A picture of rows (docs/contract/tables.md#charts). */
@Entity('charts')
@Index('charts_owner_created', ['ownerId', 'createdAt'])
@Index('charts_turn_id', ['turnId'])
export class Chart {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'charts_pkey' })
  mgid: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'charts_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  /** The turn that drew it. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => ChatTurn, { name: 'charts_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string | null;

  @Column('text')
  title: string;

  @Column('text')
  chartType: string;

  /** Vega-Lite without data; the field `c0` is the first cell of a row. */
  @Column('jsonb')
  spec: unknown;

  /** `{name, type}` each. */
  @Column('jsonb')
  columns: unknown;

  /** Lists of cells. */
  @Column('jsonb')
  rows: unknown;

  @Column('boolean', { default: false })
  truncated: boolean;

  /** `{type, source_ref, sql}`. */
  @Column('jsonb')
  source: unknown;

  @Column('timestamptz', { default: () => 'now()' })
  refreshedAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

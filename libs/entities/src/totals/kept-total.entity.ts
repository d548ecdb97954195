import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A sum over rows that nobody wants to add up again. Triggers write what changes beside the rows (`KeptTotalChange`); from
 * time to time the changes are folded in here. The sum is this value and the changes that are still there.
 */
@Entity('kept_totals')
@Index('kept_totals_empty', { synchronize: false })
@Index('kept_totals_unlooked', { synchronize: false })
export class KeptTotal {
  /** What is added up, such as `storage`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'kept_totals_pkey' })
  kind: string;

  /** Of whom: the id of an account or of a workflow; of what is counted by month, `u` or `o` and the id of an account or an organisation. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'kept_totals_pkey' })
  key: string;

  /** Which part of it, such as a state. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'kept_totals_pkey' })
  part: string;

  @Column('bigint')
  value: string;

  /** The value when somebody last looked whether it had come near a limit; null: never. */
  @Column('bigint', { nullable: true })
  lookedValue: string | null;
}

/** What one statement added or took away. Only inserted, so that writers of the same total never wait for each other. */
@Entity('kept_total_changes')
@Index('kept_total_changes_key', ['kind', 'key'])
export class KeptTotalChange {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'kept_total_changes_pkey',
  })
  id: string;

  @Column('text')
  kind: string;

  @Column('text')
  key: string;

  @Column('text')
  part: string;

  @Column('bigint')
  change: string;
}

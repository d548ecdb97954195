import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** That the owner of a pool was told how much of a limit is used: once a month for each measure and threshold. */
@Entity('usage_notices')
@Check('usage_notices_measure_check', `measure IN ('workflow_runs', 'model_tokens', 'storage')`)
@Check('usage_notices_threshold_check', `threshold IN (80, 100)`)
export class UsageNotice {
  /** `u` or `o` and the id of an account or an organisation. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'usage_notices_pkey' })
  pool: string;

  /** Such as `2026-11`, in UTC. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'usage_notices_pkey' })
  month: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'usage_notices_pkey' })
  measure: 'workflow_runs' | 'model_tokens' | 'storage';

  /** Percent of the limit. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'usage_notices_pkey' })
  threshold: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

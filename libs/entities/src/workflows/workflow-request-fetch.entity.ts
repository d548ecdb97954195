import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowRequest } from './workflow-request.entity.js';
import { LeasedRow } from '../leased-row.js';

/** The files of a waiting request are to be fetched: who is at it, and when it goes on. */
@Entity('workflow_request_fetches')
@Index('workflow_request_fetches_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class WorkflowRequestFetch extends LeasedRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_request_fetches_pkey' })
  @ForeignKey(() => WorkflowRequest, { name: 'workflow_request_fetches_request_id_fkey', onDelete: 'CASCADE' })
  requestId: string;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;
}

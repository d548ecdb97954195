import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowRequest } from './workflow-request.entity.js';

/** The files of a waiting request are to be fetched: who is at it, and when it goes on. */
@Entity('workflow_request_fetches')
@Index('workflow_request_fetches_resume', ['resumeAt'])
export class WorkflowRequestFetch {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_request_fetches_pkey' })
  @ForeignKey(() => WorkflowRequest, { name: 'workflow_request_fetches_request_id_fkey', onDelete: 'CASCADE' })
  requestId: string;

  /** Claims so far. */
  @Column('int', { default: 0 })
  fence: number;

  @Column('timestamptz', { default: () => 'now()' })
  resumeAt: Date;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;
}

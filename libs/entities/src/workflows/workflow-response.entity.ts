import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkflowRequest } from './workflow-request.entity.js';

/** What a `respond` node answers to the caller of a webhook. */
@Entity('workflow_responses')
@Check('workflow_responses_status_check', 'status BETWEEN 200 AND 599')
export class WorkflowResponse {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_responses_pkey' })
  @ForeignKey(() => WorkflowRequest, { name: 'workflow_responses_request_id_fkey', onDelete: 'CASCADE' })
  requestId: string;

  /** The answer of a later run of the same request takes its place. */
  @Column('int')
  runVersion: number;

  /** Run and node: who asks again with the same key gave this answer. */
  @Column('text')
  answeredBy: string;

  @Column('int')
  status: number;

  @Column('jsonb')
  headers: Record<string, string>;

  @Column('bytea')
  body: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

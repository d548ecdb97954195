import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkflowRequest } from './workflow-request.entity.js';

/** A file that a webhook call named by its address, and the document that it became. */
@Entity('workflow_request_files')
@Check('workflow_request_files_state_check', `state IN ('pending','stored','failed','skipped')`)
export class WorkflowRequestFile {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_request_files_pkey' })
  @ForeignKey(() => WorkflowRequest, { name: 'workflow_request_files_request_id_fkey', onDelete: 'CASCADE' })
  requestId: string;

  /** From 0, as the call named them. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'workflow_request_files_pkey' })
  position: number;

  @Column('text')
  url: string;

  @Column('text')
  state: 'pending' | 'stored' | 'failed' | 'skipped';

  @Column('text', { nullable: true })
  filename: string | null;

  /** No foreign key: its owner may delete the document. */
  @Column('uuid', { nullable: true })
  documentUid: string | null;

  @Column('text', { nullable: true })
  mimeType: string | null;

  @Column('bigint', { nullable: true })
  sizeBytes: string | null;

  /** Why it failed or was skipped, for people. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('int', { default: 0 })
  tries: number;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from '../workflows/workflow.entity.js';

/** A file that the File Writer tool made for its owner. */
@Entity('written_files')
@Index('written_files_path_key', ['ownerId', 'path'], { unique: true })
@Index('written_files_idempotency_key', { synchronize: false })
@Index('written_files_workflow_id', { synchronize: false })
export class WrittenFile {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'written_files_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'written_files_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  /** Relative, with slashes. */
  @Column('text')
  path: string;

  @Column('text')
  storageKey: string;

  @Column('text')
  mimeType: string;

  @Column('bigint')
  sizeBytes: string;

  @Column('text')
  sha256: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Of the node that wrote it; a repetition finds it by this. */
  @Column('text', { nullable: true })
  idempotencyKey: string | null;

  /** Whoever sees this workflow may read the file. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'written_files_workflow_id_fkey', onDelete: 'SET NULL' })
  workflowId: string | null;
}

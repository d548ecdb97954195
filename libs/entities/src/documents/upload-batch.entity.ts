import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from './document.entity.js';

/** Files that were uploaded in one request; its state follows from its items (docs/contract/documents.md#batches). */
@Entity('upload_batches')
@Index('upload_batches_owner_id', ['ownerId'])
export class UploadBatch {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'upload_batches_pkey' })
  batchId: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'upload_batches_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text', { default: 'direct' })
  sourceType: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** One file of a batch: a document, or the reasons why it did not become one. */
@Entity('upload_batch_items')
@Index('upload_batch_items_document_uid', ['documentUid'])
export class UploadBatchItem {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'upload_batch_items_pkey' })
  @ForeignKey(() => UploadBatch, 'batchId', { name: 'upload_batch_items_batch_id_fkey', onDelete: 'CASCADE' })
  batchId: string;

  /** From 0, in the order of the request. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'upload_batch_items_pkey' })
  position: number;

  @Column('text')
  filename: string;

  /** Null when the file was refused, and after the document was purged. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Document, 'uid', { name: 'upload_batch_items_document_uid_fkey', onDelete: 'SET NULL' })
  documentUid: string | null;

  /** Why the file was refused; '' for one that became a document. */
  @Column('text', { default: '' })
  refusal: string;
}

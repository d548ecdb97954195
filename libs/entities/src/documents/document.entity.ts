import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/**
 * docs/contract/documents.md#the-document, docs/contract/documents.md#states; `libs/documents` says how one becomes
 * another.
 */
export const DOCUMENT_STATES = [
  'stored',
  'pending_publish',
  'queued',
  'processing',
  'completed',
  'failed',
  'publish_failed',
  'untrained',
] as const;

/** A file of the semantic-search store (docs/contract/documents.md#the-document, docs/contract/documents.md#states). */
@Entity('documents')
@Check('documents_processing_state_check', `processing_state IN ('${DOCUMENT_STATES.join("','")}')`)
// A worker holds the row exactly while it is processing: no state without a lease, no lease without the state.
@Check('documents_lease_check', `(processing_state = 'processing') = (lease_expires_at IS NOT NULL)`)
@Check('documents_trash_check', `(deleted_at IS NULL) = (purge_at IS NULL)`)
@Index('documents_owner_created', { synchronize: false })
@Index('documents_owner_folder', { synchronize: false })
@Index('documents_owner_size', { synchronize: false })
@Index('documents_unfinished', { synchronize: false })
@Index('documents_queue', { synchronize: false })
@Index('documents_owner_started', { synchronize: false })
@Index('documents_purge_at', { synchronize: false })
@Index('documents_external_drive_item', { synchronize: false })
@Index('documents_name_trigrams', { synchronize: false })
export class Document {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'documents_pkey' })
  uid: string;

  /** Without a cascade: whoever deletes an account purges its documents first, files included. */
  @Column('int')
  @ForeignKey(() => User, { name: 'documents_owner_id_fkey' })
  ownerId: number;

  /** Virtual path without leading or trailing slash; '' is the root. */
  @Column('text', { default: '' })
  folder: string;

  /** What people see: one safe path segment, at most 255 bytes. */
  @Column('text')
  filename: string;

  /** By which names are found: `nameKey` of the file name. */
  @Column('text', { default: '' })
  nameKey: string;

  /** Media path as clients get it, percent-encoded: `/media/documents/<uid>/<filename>`. */
  @Column('text')
  path: string;

  /** A `FileKind` of libs/documents, decided from name and bytes. */
  @Column('text')
  kind: string;

  @Column('text')
  mimeType: string;

  /** A string, since JavaScript numbers do not hold every bigint. */
  @Column('bigint')
  sizeBytes: string;

  @Column('text')
  sha256: string;

  /** Where the bytes lie in the file storage. */
  @Column('text')
  storageKey: string;

  @Column('text')
  processingState: string;

  /** What the state means, for people; a worker writes its progress here. */
  @Column('text', { default: '' })
  status: string;

  @Column('text', { default: '' })
  lastError: string;

  /** What the worker is at: `reading`, `ocr`, `embedding` or `indexing`; '' while nobody is at it. */
  @Column('text', { default: '' })
  stage: string;

  /** How far the worker is, 0 to 100. */
  @Column('int', { default: 0 })
  percent: number;

  /** Pages read so far; all of them once completed. */
  @Column('int', { default: 0 })
  pageNumber: number;

  @Column('int', { default: 0 })
  labels: number;

  @Column('text', { default: '' })
  docClass: string;

  /** The owner's own words for it. */
  @Column('text', { array: true, default: '{}' })
  tags: string[];

  @Column('boolean', { default: false })
  ocr: boolean;

  /** Tesseract codes, the likeliest first; empty: all that are offered. */
  @Column('text', { array: true, default: '{}' })
  ocrLanguages: string[];

  @Column('boolean', { default: true })
  trainAfterUpload: boolean;

  @Column('boolean', { default: false })
  fromDms: boolean;

  @Column('text', { nullable: true })
  externalDriveItemId: string | null;

  /** How often the queue has been offered the current job. */
  @Column('int', { default: 0 })
  enqueueAttemptCount: number;

  /** Rises each time the document is to be worked on again: it makes the job's key new. Never falls. */
  @Column('int', { default: 0 })
  attempt: number;

  /** Tries of the current request for indexing that ended badly; starts at 0 with each request. */
  @Column('int', { default: 0 })
  failedTries: number;

  /** Rises with each claim and whenever work under way loses its right to write. Never falls. */
  @Column('int', { default: 0 })
  fence: number;

  @Column('text', { nullable: true })
  leasedBy: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  /** When the job was last put in the queue, or was meant to be; the sweeper asks again some time later. */
  @Column('timestamptz', { nullable: true })
  rungAt: Date | null;

  /** Id and trace of the request that asked for the work, see `currentOrigin`. */
  @Column('text', { nullable: true })
  correlationId: string | null;

  /** How urgent the work asked for is: a `QUEUE_CLASSES` of libs/documents. */
  @Column('smallint', { default: 0 })
  queueClass: number;

  /** While a failed try is not to be repeated; null: at once. */
  @Column('timestamptz', { nullable: true })
  notBefore: Date | null;

  /** For which pipeline the background has asked for it to be indexed again, whatever came of it. */
  @Column('int', { nullable: true })
  reindexedFor: number | null;

  /** Which generation of chunks answers questions; null while none does. */
  @Column('int', { nullable: true })
  indexGeneration: number | null;

  @Column('timestamptz', { nullable: true })
  queuedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  processingStartedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;

  /** In the trash since. */
  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;

  /** When the trash is emptied of it. */
  @Column('timestamptz', { nullable: true })
  purgeAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { UploadBatch } from '../documents/upload-batch.entity.js';

/** A place outside from which documents are imported, and how far its current sync is. */
@Entity('external_sources')
@Check('external_sources_type_check', `type IN ('s3', 'folder', 'sql', 'sharepoint')`)
@Check('external_sources_state_check', `state IN ('idle', 'syncing', 'ok', 'error')`)
@Check('external_sources_resume_check', `(state = 'syncing') = (resume_at IS NOT NULL)`)
@Index('external_sources_owner_id', ['ownerId'])
@Index('external_sources_batch_id', ['batchId'])
@Index('external_sources_resume_at', ['resumeAt'], { where: 'resume_at IS NOT NULL' })
@Index('external_sources_next_sync_at', ['nextSyncAt'], { where: 'next_sync_at IS NOT NULL' })
export class ExternalSource {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'external_sources_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'external_sources_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  type: string;

  @Column('text')
  name: string;

  /** Without the secret; its shape is that of the type's definition in libs/integrations. */
  @Column('jsonb')
  config: Record<string, unknown>;

  @Column('bytea', { nullable: true })
  secretSealed: Buffer | null;

  /** Where its documents go. */
  @Column('text', { default: '' })
  folder: string;

  @Column('boolean', { default: false })
  ocr: boolean;

  /** Null: synced only when somebody asks. */
  @Column('int', { nullable: true })
  scheduleMinutes: number | null;

  @Column('text', { default: 'idle' })
  state: string;

  @Column('text', { default: '' })
  lastError: string;

  @Column('timestamptz', { nullable: true })
  lastSyncedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  nextSyncAt: Date | null;

  /** Where the next sync begins; null: with the whole list. */
  @Column('text', { nullable: true })
  cursor: string | null;

  /** Where the current sync goes on. */
  @Column('text', { nullable: true })
  pageCursor: string | null;

  /** Counts the syncs. */
  @Column('int', { default: 0 })
  run: number;

  /** Whether the current sync sees everything, so that what it did not see is gone. */
  @Column('boolean', { default: true })
  isFullRun: boolean;

  /** Of the last sync that brought something. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => UploadBatch, 'batchId', { name: 'external_sources_batch_id_fkey', onDelete: 'SET NULL' })
  batchId: string | null;

  /** Of the last sync, as the three below. */
  @Column('int', { default: 0 })
  added: number;

  @Column('int', { default: 0 })
  updated: number;

  @Column('int', { default: 0 })
  removed: number;

  @Column('int', { default: 0 })
  failed: number;

  /** Claims since the sync last got on. */
  @Column('int', { default: 0 })
  tries: number;

  /** Rises with each claim and whenever a sync under way loses its right to write. Never falls. */
  @Column('int', { default: 0 })
  fence: number;

  @Column('text', { nullable: true })
  leasedBy: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  /** Set while a sync is under way: nobody claims it before. */
  @Column('timestamptz', { nullable: true })
  resumeAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

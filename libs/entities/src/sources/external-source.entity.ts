import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { UploadBatch } from '../documents/upload-batch.entity.js';
import { LeasedRow } from '../leased-row.js';

/** A place outside from which documents are imported, and how far its current sync is. */
@Entity('external_sources')
@Check('external_sources_type_check', `type IN ('s3', 'folder', 'sql', 'sharepoint')`)
@Check('external_sources_state_check', `state IN ('idle', 'syncing', 'ok', 'error')`)
@Check('external_sources_next_attempt_check', `(state = 'syncing') = (next_attempt_at IS NOT NULL)`)
@Index('external_sources_owner_id', ['ownerId'])
@Index('external_sources_batch_id', ['batchId'])
@Index('external_sources_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
@Index('external_sources_next_sync_at', ['nextSyncAt'], { where: 'next_sync_at IS NOT NULL' })
export class ExternalSource extends LeasedRow {
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

  /** Set while a sync is under way. */
  @Column('timestamptz', { nullable: true })
  nextAttemptAt: Date | null;

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

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

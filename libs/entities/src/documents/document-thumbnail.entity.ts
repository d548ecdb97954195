import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Document } from './document.entity.js';
import { LeasedRow } from '../leased-row.js';

/** A small picture of one page, made when somebody first asks for it. */
@Entity('document_thumbnails')
@Check('document_thumbnails_state_check', `state IN ('waiting', 'ready', 'none')`)
@Check('document_thumbnails_file_check', `(state = 'ready') = (storage_key IS NOT NULL)`)
@Index('document_thumbnails_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class DocumentThumbnail extends LeasedRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'document_thumbnails_pkey' })
  @ForeignKey(() => Document, 'uid', { name: 'document_thumbnails_document_uid_fkey', onDelete: 'CASCADE' })
  documentUid: string;

  /** From 1. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'document_thumbnails_pkey' })
  page: number;

  /** Pixels, one of a few. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'document_thumbnails_pkey' })
  width: number;

  /** `none`: it cannot be made. */
  @Column('text', { default: 'waiting' })
  state: string;

  @Column('text', { nullable: true })
  storageKey: string | null;

  @Column('int', { nullable: true })
  sizeBytes: number | null;

  @Column('text', { nullable: true })
  sha256: string | null;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;
}

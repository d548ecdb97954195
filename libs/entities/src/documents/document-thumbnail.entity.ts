import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Document } from './document.entity.js';

/** A small picture of one page, made when somebody first asks for it. */
@Entity('document_thumbnails')
@Check('document_thumbnails_state_check', `state IN ('waiting', 'ready', 'none')`)
@Check('document_thumbnails_file_check', `(state = 'ready') = (storage_key IS NOT NULL)`)
export class DocumentThumbnail {
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

  @Column('int', { default: 0 })
  tries: number;

  /** New with each try: a worker that lost its lease writes nothing. */
  @Column('uuid', { nullable: true })
  claim: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  @Column('text', { nullable: true })
  storageKey: string | null;

  @Column('int', { nullable: true })
  sizeBytes: number | null;

  @Column('text', { nullable: true })
  sha256: string | null;

  /** When a worker was last asked for it. */
  @Column('timestamptz', { default: () => 'now()' })
  rungAt: Date;
}

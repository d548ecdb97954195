import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Document } from '../documents/document.entity.js';
import { ExternalSource } from './external-source.entity.js';

/** Something of an external source, and the document that it became. */
@Entity('external_items')
@Check('external_items_state_check', `state IN ('imported', 'failed', 'vanished')`)
@Index('external_items_document_uid', ['documentUid'])
export class ExternalItem {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'external_items_pkey' })
  @ForeignKey(() => ExternalSource, { name: 'external_items_source_id_fkey', onDelete: 'CASCADE' })
  sourceId: string;

  /** As the source names it; a hash where that is long. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'external_items_pkey' })
  itemId: string;

  @Column('text')
  name: string;

  /** Folder within the source. */
  @Column('text', { default: '' })
  path: string;

  /** Of the content that was last looked at; null when the source gives none. */
  @Column('text', { nullable: true })
  etag: string | null;

  @Column('bigint', { nullable: true })
  sizeBytes: string | null;

  @Column('timestamptz', { nullable: true })
  modifiedAt: Date | null;

  @Column('text', { nullable: true })
  sha256: string | null;

  /** Null when it never became one, and after the document was purged. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Document, 'uid', { name: 'external_items_document_uid_fkey', onDelete: 'SET NULL' })
  documentUid: string | null;

  /** `vanished`: it is gone from the source. */
  @Column('text')
  state: string;

  /** Why it failed, for people. */
  @Column('text', { default: '' })
  reason: string;

  /** The last sync that found it. */
  @Column('int')
  seenRun: number;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

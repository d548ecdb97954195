import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Document } from '../documents/document.entity.js';

/**
 * What a language model wrote about a document, or is asked to write
 * (docs/contract/documents.md#summaries-and-questions).
 */
@Entity('document_summaries')
@Check('document_summaries_status_check', `status IN ('pending', 'ready', 'failed')`)
@Index('document_summaries_pending', { synchronize: false })
export class DocumentSummary {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'document_summaries_pkey' })
  @ForeignKey(() => Document, 'uid', { name: 'document_summaries_document_uid_fkey', onDelete: 'CASCADE' })
  documentUid: string;

  @Column('text')
  status: string;

  @Column('text', { default: '' })
  summary: string;

  @Column('text', { default: '' })
  language: string;

  @Column('text', { default: '' })
  model: string;

  @Column('jsonb', { default: [] })
  questions: string[];

  /** A sentence for people; '' unless it failed. */
  @Column('text', { default: '' })
  error: string;

  /** Null: the document's own. */
  @Column('text', { nullable: true })
  wantedLanguage: string | null;

  /** Rises with each request and each bell rung again. */
  @Column('int', { default: 0 })
  attempt: number;

  @Column('int', { default: 0 })
  failedTries: number;

  @Column('int', { default: 0 })
  fence: number;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  generatedAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt: Date;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Document } from '../documents/document.entity.js';
import { LeasedRow } from '../leased-row.js';

/**
 * What a language model wrote about a document, or is asked to write
 * (docs/contract/documents.md#summaries-and-questions).
 */
@Entity('document_summaries')
@Check('document_summaries_status_check', `status IN ('pending', 'ready', 'failed')`)
@Index('document_summaries_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class DocumentSummary extends LeasedRow {
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

  /** Null: the document's own. */
  @Column('text', { nullable: true })
  wantedLanguage: string | null;

  @Column('timestamptz', { nullable: true })
  generatedAt: Date | null;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;
}

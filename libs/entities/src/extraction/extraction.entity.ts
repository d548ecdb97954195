import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from '../documents/document.entity.js';
import { LeasedRow } from '../leased-row.js';
import { ExtractedTable } from './extracted-table.entity.js';

/** One request to extract documents into a table. */
@Entity('extractions')
@Check('extractions_mode_check', `mode IN ('missing', 'all')`)
@Check('extractions_state_check', `state IN ('accepted', 'processing', 'completed', 'partial', 'failed', 'cancelled')`)
@Index('extractions_table_id', ['tableId', 'id'])
@Index('extractions_requested_by', ['requestedBy'])
@Index('extractions_request_key', ['requestedBy', 'requestKey'], { unique: true, where: 'request_key IS NOT NULL' })
export class Extraction {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extractions_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => ExtractedTable, { name: 'extractions_table_id_fkey', onDelete: 'CASCADE' })
  tableId: string;

  /** With whose rights documents are read, and with whose model. */
  @Column('int')
  @ForeignKey(() => User, { name: 'extractions_requested_by_fkey', onDelete: 'CASCADE' })
  requestedBy: number;

  /** Names of the columns that are filled; null: all. */
  @Column('jsonb', { nullable: true })
  columns: string[] | null;

  /** `missing` fills what is empty alone. */
  @Column('text')
  mode: string;

  @Column('boolean', { default: false })
  overwriteEdited: boolean;

  /** Null: as the document was read. */
  @Column('boolean', { nullable: true })
  ocr: boolean | null;

  @Column('text', { default: 'accepted' })
  state: string;

  @Column('int')
  total: number;

  @Column('int', { default: 0 })
  completed: number;

  @Column('int', { default: 0 })
  failed: number;

  /** Of its last event. */
  @Column('int', { default: 0 })
  lastSeq: number;

  /** By which whoever asks again finds it: the node of a run; null: asked for once. */
  @Column('text', { nullable: true })
  requestKey: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;
}

/** One document of an extraction: the work itself. */
@Entity('extraction_items')
@Check('extraction_items_state_check', `state IN ('queued', 'processing', 'completed', 'failed', 'cancelled')`)
@Unique('extraction_items_once', ['extractionId', 'sourceUid'])
@Index('extraction_items_at_work', ['tableId', 'sourceUid'], { unique: true, where: `state = 'processing'` })
@Index('extraction_items_source', ['tableId', 'sourceUid'])
@Index('extraction_items_document_uid', ['documentUid'])
@Index('extraction_items_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
@Index('extraction_items_waiting', ['requestedBy', 'id'], { where: `state = 'queued'` })
@Index('extraction_items_served', ['requestedBy', 'startedAt'])
export class ExtractionItem extends LeasedRow {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extraction_items_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Extraction, { name: 'extraction_items_extraction_id_fkey', onDelete: 'CASCADE' })
  extractionId: string;

  @Column('uuid')
  @ForeignKey(() => ExtractedTable, { name: 'extraction_items_table_id_fkey', onDelete: 'CASCADE' })
  tableId: string;

  /** That of its extraction: owners take turns. */
  @Column('int')
  @ForeignKey(() => User, { name: 'extraction_items_requested_by_fkey', onDelete: 'CASCADE' })
  requestedBy: number;

  /** Null: the document is gone. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Document, 'uid', { name: 'extraction_items_document_uid_fkey', onDelete: 'SET NULL' })
  documentUid: string | null;

  @Column('text')
  sourceUid: string;

  @Column('text')
  filename: string;

  @Column('text', { default: 'queued' })
  state: string;

  @Column('int', { default: 0 })
  cellsFilled: number;

  @Column('int', { default: 0 })
  cellsEmpty: number;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;

  /** When it was last taken up. */
  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** What followers of an extraction are told, in order, and told again from where they left off. */
@Entity('extraction_events')
export class ExtractionEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extraction_events_pkey' })
  @ForeignKey(() => Extraction, { name: 'extraction_events_extraction_id_fkey', onDelete: 'CASCADE' })
  extractionId: string;

  /** From 1, without gaps. */
  @PrimaryColumn('int', { primaryKeyConstraintName: 'extraction_events_pkey' })
  seq: number;

  /** `row`, `progress`, `done`. */
  @Column('text')
  type: string;

  @Column('jsonb')
  payload: Record<string, unknown>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

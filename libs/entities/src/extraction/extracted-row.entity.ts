import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from '../documents/document.entity.js';
import { ExtractedTable } from './extracted-table.entity.js';

/** A row of an extracted table. Those of one document share its `source_uid`. */
@Entity('extracted_rows')
@Index('extracted_rows_table_id', ['tableId', 'id'])
@Index('extracted_rows_document_uid', ['documentUid'])
@Unique('extracted_rows_once', ['tableId', 'sourceUid', 'position'])
export class ExtractedRow {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_rows_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => ExtractedTable, { name: 'extracted_rows_table_id_fkey', onDelete: 'CASCADE' })
  tableId: string;

  /** What it was read from: the uid of a document, or what its writer called it. */
  @Column('text')
  sourceUid: string;

  /** Among the rows of its source, from 0. */
  @Column('int', { default: 0 })
  position: number;

  /** Null: written by hand, or the document is gone. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Document, 'uid', { name: 'extracted_rows_document_uid_fkey', onDelete: 'SET NULL' })
  documentUid: string | null;

  /** Values by name of column. */
  @Column('jsonb', { default: () => `'{}'` })
  data: Record<string, unknown>;

  @Column('text', { default: '' })
  filename: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  /** When a document was last extracted into it. */
  @Column('timestamptz', { nullable: true })
  processedAt: Date | null;
}

/** Where the value of a cell comes from. Cells that nobody extracted, edited or verified have none. */
@Entity('extracted_cells')
@Check('extracted_cells_status_check', `status IN ('anchored', 'unanchored', 'no_evidence')`)
@Check('extracted_cells_method_check', `method IN ('rules', 'model', 'person')`)
@Check('extracted_cells_anchor_check', `anchor IN ('exact', 'normalised', 'fuzzy', 'none')`)
@Index('extracted_cells_review', ['tableId', 'status', 'score'])
@Index('extracted_cells_verified_by', ['verifiedBy'])
export class ExtractedCell {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_cells_pkey' })
  @ForeignKey(() => ExtractedRow, { name: 'extracted_cells_row_id_fkey', onDelete: 'CASCADE' })
  rowId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'extracted_cells_pkey' })
  columnName: string;

  @Column('uuid')
  @ForeignKey(() => ExtractedTable, { name: 'extracted_cells_table_id_fkey', onDelete: 'CASCADE' })
  tableId: string;

  @Column('text')
  status: string;

  /** Verbatim words of the document; '' where there is no evidence. */
  @Column('text', { default: '' })
  quote: string;

  /** `{page, rect}`, one for each line of the quote: fractions of the page from its top left. */
  @Column('jsonb', { default: () => `'[]'` })
  spans: object[];

  /** Points, of the page of the first span. */
  @Column('real', { nullable: true })
  pageWidth: number | null;

  @Column('real', { nullable: true })
  pageHeight: number | null;

  /** Of a worksheet: `{sheet, cell}`. */
  @Column('jsonb', { nullable: true })
  place: object | null;

  /** 0 to 1: class of the anchor x coercion x agreement; never what a model said of itself. */
  @Column('real', { default: 0 })
  score: number;

  /** The same words stand in several places, and order did not decide. */
  @Column('boolean', { default: false })
  ambiguous: boolean;

  @Column('text')
  method: string;

  @Column('text', { default: 'none' })
  anchor: string;

  /** Why it is empty or doubtful, as a code; null: it is neither. */
  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  model: string | null;

  /** A person changed the value: a new extraction leaves it unless told otherwise. */
  @Column('timestamptz', { nullable: true })
  editedAt: Date | null;

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'extracted_cells_verified_by_fkey', onDelete: 'SET NULL' })
  verifiedBy: number | null;

  @Column('timestamptz', { nullable: true })
  verifiedAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

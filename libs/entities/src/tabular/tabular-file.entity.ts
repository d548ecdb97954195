import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { LeasedRow } from '../leased-row.js';
import { User } from '../accounts/user.entity.js';

export const TABULAR_STORES = ['database', 'spreadsheet'] as const;

/** Those of docs/contract/documents.md#states, that a table file passes. */
export const TABULAR_STATES = ['pending_publish', 'queued', 'processing', 'completed', 'failed'] as const;

/**
 * A file of the database or the spreadsheet store, and the DuckDB database that was built from it
 * (docs/contract/tables.md#files).
 */
@Entity('tabular_files')
@Check('tabular_files_store_check', `store IN ('${TABULAR_STORES.join("','")}')`)
@Check('tabular_files_processing_state_check', `processing_state IN ('${TABULAR_STATES.join("','")}')`)
@Check('tabular_files_lease_check', `(processing_state = 'processing') = (leased_until IS NOT NULL)`)
@Check('tabular_files_database_check', `processing_state <> 'completed' OR database_key IS NOT NULL`)
@Index('tabular_files_owner_created', { synchronize: false })
@Index('tabular_files_owner_started', { synchronize: false })
@Index('tabular_files_owner_folder', { synchronize: false })
@Index('tabular_files_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class TabularFile extends LeasedRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'tabular_files_pkey' })
  uid: string;

  /** Without a cascade: whoever deletes an account removes its files first. */
  @Column('int')
  @ForeignKey(() => User, { name: 'tabular_files_owner_id_fkey' })
  ownerId: number;

  @Column('text')
  store: string;

  /** Virtual path without leading or trailing slash; '' is the root. */
  @Column('text', { default: '' })
  folder: string;

  @Column('text')
  filename: string;

  /** Media path of the upload: `/media/tables/<uid>/<filename>`, percent-encoded. */
  @Column('text')
  path: string;

  /** `csv`, `xlsx`, `xlsm`, `xlsb`, `xls` or `ods`. */
  @Column('text')
  kind: string;

  @Column('text')
  mimeType: string;

  /** A string, since JavaScript numbers do not hold every bigint. */
  @Column('bigint')
  sizeBytes: string;

  @Column('text')
  sha256: string;

  /** Where the upload lies in the file storage. */
  @Column('text')
  storageKey: string;

  /** Where the DuckDB database lies that answers questions; null until one was built. */
  @Column('text', { nullable: true })
  databaseKey: string | null;

  /** `auto`, or the 1-based row of the header; `0` when there is none. */
  @Column('text', { default: 'auto' })
  headerRow: string;

  /** `auto`, or one character. */
  @Column('text', { default: 'auto' })
  delimiter: string;

  /** `auto`, or a label that `TextDecoder` knows. */
  @Column('text', { default: 'auto' })
  encoding: string;

  @Column('text')
  processingState: string;

  @Column('text', { default: '' })
  status: string;

  /** A `TabularTable[]` of libs/tabular: what stands in the database. */
  @Column('jsonb', { default: [] })
  tables: unknown;

  /** A `TabularSheet[]` of libs/tabular; empty for CSV. */
  @Column('jsonb', { default: [] })
  sheets: unknown;

  /** A `string[]`: what people should know of how the file was read. */
  @Column('jsonb', { default: [] })
  warnings: unknown;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;

  /** When its last import began: owners take turns. */
  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

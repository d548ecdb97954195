import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from '../workflows/workflow.entity.js';

/** A table whose rows are extracted from documents (docs/contract/extracted-tables.md). */
@Entity('extracted_tables')
@Check('extracted_tables_rows_count_check', 'rows_count >= 0')
@Index('extracted_tables_owner', ['ownerId', 'id'])
@Index('extracted_tables_workflow_id', ['workflowId'])
export class ExtractedTable {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_tables_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'extracted_tables_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  name: string;

  /** In their order: `TableColumn` of libs/extraction. */
  @Column('jsonb')
  columns: object[];

  @Column('jsonb', { default: () => `'{}'` })
  metadata: Record<string, unknown>;

  /** The workflow that made it, whose final deletion removes it too. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'extracted_tables_workflow_id_fkey', onDelete: 'SET NULL' })
  workflowId: string | null;

  /** Kept with each change of its rows. */
  @Column('int', { default: 0 })
  rowsCount: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** Somebody else who may read, or change too, a table. */
@Entity('extracted_table_grants')
@Check('extracted_table_grants_role_check', `role IN ('viewer', 'editor')`)
@Index('extracted_table_grants_user_id', ['userId'])
export class ExtractedTableGrant {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_table_grants_pkey' })
  @ForeignKey(() => ExtractedTable, { name: 'extracted_table_grants_table_id_fkey', onDelete: 'CASCADE' })
  tableId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'extracted_table_grants_pkey' })
  @ForeignKey(() => User, { name: 'extracted_table_grants_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  role: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** Tables that somebody has put together under a name. */
@Entity('extracted_table_databases')
@Index('extracted_table_databases_owner', ['ownerId', 'id'])
export class ExtractedTableDatabase {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_table_databases_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'extracted_table_databases_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  name: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

@Entity('extracted_table_database_members')
@Index('extracted_table_database_members_table_id', ['tableId'])
export class ExtractedTableDatabaseMember {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_table_database_members_pkey' })
  @ForeignKey(() => ExtractedTableDatabase, {
    name: 'extracted_table_database_members_database_id_fkey',
    onDelete: 'CASCADE',
  })
  databaseId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_table_database_members_pkey' })
  @ForeignKey(() => ExtractedTable, {
    name: 'extracted_table_database_members_table_id_fkey',
    onDelete: 'CASCADE',
  })
  tableId: string;

  @Column('int')
  position: number;
}

/** What one call, or one turn of table-chat, changed by hand: undone together. */
@Entity('extracted_table_changes')
@Index('extracted_table_changes_table_id', ['tableId', 'id'])
@Index('extracted_table_changes_user_id', ['userId'])
@Index('extracted_table_changes_turn_id', ['turnId'], {
  unique: true,
  where: 'turn_id IS NOT NULL AND undone_at IS NULL',
})
export class ExtractedTableChange {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'extracted_table_changes_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => ExtractedTable, { name: 'extracted_table_changes_table_id_fkey', onDelete: 'CASCADE' })
  tableId: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'extracted_table_changes_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  /** The turn of table-chat that asked for it. */
  @Column('uuid', { nullable: true })
  turnId: string | null;

  /** What was there before, and what came instead, cell by cell. */
  @Column('jsonb')
  changes: object[];

  /** Calls of the turn that are done, by name, with what they brought about: a repetition finds itself. */
  @Column('jsonb', { nullable: true })
  calls: Record<string, object> | null;

  @Column('timestamptz', { nullable: true })
  undoneAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

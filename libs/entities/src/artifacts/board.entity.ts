import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Chart } from '../charts/chart.entity.js';
import { LeasedRow } from '../leased-row.js';
import { WorkflowOutput } from '../workflows/workflow-output.entity.js';
import { Artifact } from './artifact.entity.js';

/** Tiles in a layout, for its owner and collaborators (docs/contract/boards.md). */
@Entity('boards')
@Index('boards_owner_id', ['ownerId', 'id'])
export class Board {
  @PrimaryGeneratedColumn('identity', { primaryKeyConstraintName: 'boards_pkey', generatedIdentity: 'BY DEFAULT' })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'boards_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  description: string;

  /** Rises with each change of the layout, tiles included. */
  @Column('int', { default: 0 })
  revision: number;

  /** When somebody last looked at it: what nobody looks at is not refreshed. */
  @Column('timestamptz', { nullable: true })
  lookedAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** Somebody else who may see, or change too, a board. */
@Entity('board_collaborators')
@Check('board_collaborators_role_check', `role IN ('viewer', 'editor')`)
@Index('board_collaborators_user_id', ['userId'])
export class BoardCollaborator {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'board_collaborators_pkey' })
  @ForeignKey(() => Board, { name: 'board_collaborators_board_id_fkey', onDelete: 'CASCADE' })
  boardId: number;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'board_collaborators_pkey' })
  @ForeignKey(() => User, { name: 'board_collaborators_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  role: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** What stands on a board; refreshing it is work (libs/work). */
@Entity('board_tiles')
@Check('board_tiles_kind_check', `kind IN ('chart', 'artifact', 'output', 'text')`)
@Index('board_tiles_board_id', ['boardId', 'id'])
@Index('board_tiles_mgid', ['mgid'])
@Index('board_tiles_artifact_id', ['artifactId'])
@Index('board_tiles_output_id', ['outputId'])
@Index('board_tiles_added_by_id', ['addedById'])
@Index('board_tiles_due', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class BoardTile extends LeasedRow {
  @PrimaryGeneratedColumn('identity', { primaryKeyConstraintName: 'board_tiles_pkey', generatedIdentity: 'BY DEFAULT' })
  id: number;

  @Column('int')
  @ForeignKey(() => Board, { name: 'board_tiles_board_id_fkey', onDelete: 'CASCADE' })
  boardId: number;

  @Column('text')
  kind: string;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => Chart, { name: 'board_tiles_mgid_fkey', onDelete: 'SET NULL' })
  mgid: string | null;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => Artifact, { name: 'board_tiles_artifact_id_fkey', onDelete: 'CASCADE' })
  artifactId: string | null;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => WorkflowOutput, { name: 'board_tiles_output_id_fkey', onDelete: 'SET NULL' })
  outputId: string | null;

  /** Markdown of a tile of text. */
  @Column('text', { default: '' })
  text: string;

  /** Null: that of what it shows. */
  @Column('text', { nullable: true })
  title: string | null;

  @Column('int')
  x: number;

  @Column('int')
  y: number;

  @Column('int')
  w: number;

  @Column('int')
  h: number;

  /** Of the client; `version` keeps that version of an artifact. */
  @Column('jsonb', { default: () => `'{}'` })
  settings: Record<string, unknown>;

  /** How old its data may get; null: until somebody asks. */
  @Column('int', { nullable: true })
  refreshSeconds: number | null;

  /** When it last was. */
  @Column('timestamptz', { nullable: true })
  refreshedAt: Date | null;

  /** Whoever put it there: it shows what this person may still see. */
  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'board_tiles_added_by_id_fkey', onDelete: 'SET NULL' })
  addedById: number | null;

  @Column('timestamptz', { nullable: true })
  nextAttemptAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

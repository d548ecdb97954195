import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/**
 * A workflow without its definition, which lies in `workflow_revisions`: every run updates this row, so it stays
 * narrow. Its status on the wire is that of its current run.
 */
@Entity('workflows')
@Check('workflows_trash_check', `(deleted_at IS NULL) = (purge_at IS NULL)`)
@Check('workflows_pending_requests_check', `pending_requests >= 0`)
@Check('workflows_app_state_check', `app_state IN ('shared', 'source_trashed', 'withdrawn')`)
@Check(
  'workflows_app_check',
  `(app_of_id IS NULL) = (app_state IS NULL) AND (app_of_id IS NULL) = (app_revision IS NULL) AND (app_of_id IS NULL OR copied_from_id IS NULL)`,
)
@Index('workflows_owner_created', { synchronize: false })
@Index('workflows_app_key', ['appOfId', 'ownerId'], { unique: true, where: 'app_of_id IS NOT NULL' })
@Index('workflows_copy_key', ['copiedFromId', 'ownerId'], { unique: true, where: 'copied_from_id IS NOT NULL' })
@Index('workflows_last_edited_by_id', ['lastEditedById'], { where: 'last_edited_by_id IS NOT NULL' })
@Index('workflows_sharer_id', ['sharerId'], { where: 'sharer_id IS NOT NULL' })
@Index('workflows_purge_at', { synchronize: false })
export class Workflow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflows_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'workflows_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  subtitle: string | null;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text', { nullable: true })
  summary: string | null;

  /** App instructions for users of the published app. */
  @Column('jsonb', { default: () => `'[]'` })
  instructions: unknown[];

  @Column('boolean', { default: false })
  availableAsApp: boolean;

  @Column('boolean', { default: false })
  csvDashboard: boolean;

  @Column('boolean', { default: false })
  runOnly: boolean;

  @Column('boolean', { default: false })
  chatbotApp: boolean;

  /** The newest of its revisions. */
  @Column('int', { default: 1 })
  contentRevision: number;

  /** What webhooks and schedules run; null: the newest. */
  @Column('int', { nullable: true })
  publishedRevision: number | null;

  /** Each webhook call waits until somebody lets it pass. */
  @Column('boolean', { default: false })
  requiresApproval: boolean;

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'workflows_last_edited_by_id_fkey', onDelete: 'SET NULL' })
  lastEditedById: number | null;

  @Column('timestamptz', { nullable: true })
  lastEditedAt: Date | null;

  /** Null before the first run. No foreign key: a run and its workflow would point at each other. */
  @Column('uuid', { nullable: true })
  currentRunId: string | null;

  /** Versions handed out so far. */
  @Column('int', { default: 0 })
  currentRunVersion: number;

  @Column('int', { default: 0 })
  successfulRunCount: number;

  /** Webhook requests in state `pending`; counted here, since counting them for each trigger would be quadratic. */
  @Column('int', { default: 0 })
  pendingRequests: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Of the content; runs do not move it. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  purgeAt: Date | null;

  /** Who shared it; null for what its owner made, and when the account of that person is gone. */
  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'workflows_sharer_id_fkey', onDelete: 'SET NULL' })
  sharerId: number | null;

  /** Of an independent copy, as long as the one who shared it counts it as shared. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'workflows_copied_from_id_fkey', onDelete: 'SET NULL' })
  copiedFromId: string | null;

  /** Of an app: the workflow that it follows and goes with. Its owner may run it and no more. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'workflows_app_of_id_fkey', onDelete: 'CASCADE' })
  appOfId: string | null;

  /** Why an app lies in the trash when its owner did not put it there; `shared` otherwise. */
  @Column('text', { nullable: true })
  appState: 'shared' | 'source_trashed' | 'withdrawn' | null;

  /** The revision of the other workflow that the app has. */
  @Column('int', { nullable: true })
  appRevision: number | null;

  /** What the receiver of an app agreed to: `{revision, kinds, hosts, at}`; null: nothing yet. */
  @Column('jsonb', { nullable: true })
  appConsent: Record<string, unknown> | null;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from '../workflows/workflow.entity.js';

/** A generated page, which has versions (docs/contract/artifacts.md). */
@Entity('artifacts')
@Check('artifacts_kind_check', `kind IN ('dashboard', 'report', 'page')`)
@Check('artifacts_version_check', 'version >= 1')
@Index('artifacts_owner_created', ['ownerId', 'createdAt', 'id'])
@Index('artifacts_workflow_id', ['workflowId'])
@Index('artifacts_publish_key', ['ownerId', 'publishKey'], { unique: true, where: 'publish_key IS NOT NULL' })
export class Artifact {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'artifacts_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'artifacts_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  /** Of its latest version. */
  @Column('text')
  title: string;

  @Column('text')
  kind: string;

  /** The latest one. */
  @Column('int')
  version: number;

  /** Rises with each call of `refresh/`: results of before are not given any more. */
  @Column('int', { default: 0 })
  refreshes: number;

  /** The workflow that made it, whose final deletion removes it too. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'artifacts_workflow_id_fkey', onDelete: 'SET NULL' })
  workflowId: string | null;

  /** By which whoever publishes again finds it: a node of a workflow, a turn of a conversation. */
  @Column('text', { nullable: true })
  publishKey: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** What an artifact was at one time; never changed. */
@Entity('artifact_versions')
@Index('artifact_versions_publish_key', ['artifactId', 'publishKey'], {
  unique: true,
  where: 'publish_key IS NOT NULL',
})
export class ArtifactVersion {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'artifact_versions_pkey' })
  @ForeignKey(() => Artifact, { name: 'artifact_versions_artifact_id_fkey', onDelete: 'CASCADE' })
  artifactId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'artifact_versions_pkey' })
  version: number;

  @Column('text')
  title: string;

  @Column('text')
  html: string;

  /** `NamedQuery` of libs/artifacts each. */
  @Column('jsonb', { default: () => `'[]'` })
  queries: object[];

  /** `ArtifactSource` of libs/artifacts by its ref. */
  @Column('jsonb', { default: () => `'{}'` })
  sources: Record<string, object>;

  @Column('text', { default: '' })
  changeNote: string;

  /** By which whoever publishes it again finds it. */
  @Column('text', { nullable: true })
  publishKey: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** What a query of a version gave last for some parameters (docs/contract/artifacts.md#results). */
@Entity('artifact_results')
@Index('artifact_results_as_of', ['asOf'])
export class ArtifactResult {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'artifact_results_pkey' })
  @ForeignKey(() => Artifact, { name: 'artifact_results_artifact_id_fkey', onDelete: 'CASCADE' })
  artifactId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'artifact_results_pkey' })
  version: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'artifact_results_pkey' })
  queryName: string;

  /** SHA-256 of the values that are bound. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'artifact_results_pkey' })
  paramsKey: Buffer;

  /** JSON of columns, rows and whether it was cut, as it is answered; null until there is one. */
  @Column('text', { nullable: true })
  result: string | null;

  @Column('int', { default: 0 })
  sizeBytes: number;

  /** SHA-256 of what it was made of: the creator, the state of the source, refreshes. Null once it was retired. */
  @Column('bytea', { nullable: true })
  stateKey: Buffer | null;

  /** When the data was read. */
  @Column('timestamptz', { default: () => 'now()' })
  asOf: Date;

  /** Why there was none: code and message. Good for a moment, so that not everybody tries in vain. */
  @Column('jsonb', { nullable: true })
  failure: object | null;

  @Column('bytea', { nullable: true })
  failedKey: Buffer | null;

  @Column('timestamptz', { nullable: true })
  failedAt: Date | null;

  /** Who makes the next one, of which state, and until when others wait for that. */
  @Column('text', { nullable: true })
  madeBy: string | null;

  @Column('bytea', { nullable: true })
  madeKey: Buffer | null;

  @Column('timestamptz', { nullable: true })
  madeUntil: Date | null;
}

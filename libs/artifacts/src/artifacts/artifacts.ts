import { lockActiveAccount } from '@app/access';
import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, newTimeOrderedId, NotFoundError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { NamedQuery } from '../queries/named-query.js';
import { type ArtifactSource, SourceQueries } from '../queries/source-queries.js';
import { ArtifactAccess, artifactNotFound } from './artifact-access.js';
import { ArtifactParts } from './artifact-parts.js';
import { type ArtifactRow, RECORD_COLUMNS, RECORD_SOURCES, toArtifactRecord } from './artifact-record.js';
import {
  ARTIFACT_LIMITS,
  type ArtifactDraft,
  type ArtifactRecord,
  type ArtifactVersionRecord,
  type PublishedVersion,
  type PublishOptions,
  type VersionEntry,
  type VersionRecord,
} from './artifact-shapes.js';
import { checkDraft } from './check-draft.js';
import { insertVersion, makeLatest } from './version-rows.js';

const VERSION_COLUMNS = `v.artifact_id AS "artifactId", a.owner_id AS "ownerId", v.version, v.title, a.kind, v.queries, v.sources,
  v.change_note AS "changeNote", v.created_at AS "createdAt"`;
const VERSION_SOURCES =
  'artifacts a JOIN artifact_versions v ON v.artifact_id = a.id AND v.version = coalesce($2::bigint, a.version)';

const PUBLISHED = `a.id AS "artifactId", v.version, v.title, a.kind`;

/** Generated pages and their versions (docs/contract/artifacts.md). */
@Injectable()
export class Artifacts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: ArtifactAccess,
    private readonly sources: SourceQueries,
    private readonly parts: ArtifactParts,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The next version of an artifact, or the first one. What is read stays as it is: a version is never changed.
   * @throws ValidationError `invalid_artifact`; InvalidRequestError for a query that is refused or fails; NotFoundError
   *   `artifact_not_found`, `source_not_found`; ForbiddenError; ConflictError `artifact_limit_reached`, `version_limit_reached`
   */
  async publish(ownerId: number, draft: ArtifactDraft, options: PublishOptions = {}): Promise<PublishedVersion> {
    const kept = checkDraft(draft);
    if (options.artifactId !== undefined) await this.access.requireOwner(ownerId, options.artifactId);
    const before = await this.findPublished(this.dataSource.manager, ownerId, options);
    if (before) return before;
    const sources = await this.describe(ownerId, kept.queries);
    if (kept.queries.length > 0) await this.sources.check(ownerId, kept.queries, options.signal);
    options.signal?.throwIfAborted();
    return retriedTransaction(this.dataSource, async (tx) => {
      // Whoever publishes for the same person waits: one key is one version, whoever of them comes first.
      if ((await lockActiveAccount(tx, ownerId)) === null) throw new ForbiddenError();
      return (await this.findPublished(tx, ownerId, options)) ?? (await this.add(tx, ownerId, kept, sources, options));
    });
  }

  /** Of the creator. @throws NotFoundError, ForbiddenError */
  get(userId: number, artifactId: string): Promise<ArtifactRecord> {
    return this.access.requireOwner(userId, artifactId);
  }

  /** Their own, newest first. @param before the id of the last one of the page before */
  async list(
    ownerId: number,
    { limit = ARTIFACT_LIMITS.artifacts, before = null }: { limit?: number; before?: string | null } = {},
  ): Promise<ArtifactRecord[]> {
    const rows = await this.dataSource.query<ArtifactRow[]>(
      `SELECT ${RECORD_COLUMNS} FROM ${RECORD_SOURCES}
       WHERE a.owner_id = $1 AND ($2::uuid IS NULL OR a.id < $2) ORDER BY a.id DESC LIMIT $3`,
      [ownerId, before, limit],
    );
    return rows.map(toArtifactRecord);
  }

  /** Newest first. @throws NotFoundError, ForbiddenError */
  async listVersions(userId: number, artifactId: string): Promise<VersionEntry[]> {
    await this.access.requireOwner(userId, artifactId);
    return this.dataSource.query<VersionEntry[]>(
      `SELECT version, title, change_note AS "changeNote", created_at AS "createdAt" FROM artifact_versions
       WHERE artifact_id = $1 ORDER BY version DESC`,
      [artifactId],
    );
  }

  /**
   * For who has asked `ArtifactAccess` before. @param version null: the latest
   * @throws NotFoundError `artifact_not_found`, `version_not_found`
   */
  async readVersion(artifactId: string, version: number | null): Promise<ArtifactVersionRecord> {
    const [row] = await this.dataSource.query<ArtifactVersionRecord[]>(
      `SELECT ${VERSION_COLUMNS}, v.html FROM ${VERSION_SOURCES} WHERE a.id = $1`,
      [artifactId, version],
    );
    return row ?? throwNone(version);
  }

  /** The same without the page, which may have 2 MB. @throws NotFoundError */
  async describeVersion(artifactId: string, version: number | null): Promise<VersionRecord> {
    const [row] = await this.dataSource.query<VersionRecord[]>(
      `SELECT ${VERSION_COLUMNS} FROM ${VERSION_SOURCES} WHERE a.id = $1`,
      [artifactId, version],
    );
    return row ?? throwNone(version);
  }

  /** What was published under the same key before. */
  private async findPublished(
    db: EntityManager,
    ownerId: number,
    { artifactId, artifactKey, publishKey }: PublishOptions,
  ): Promise<PublishedVersion | null> {
    if (publishKey === undefined) return null;
    const [row] = await db.query<PublishedVersion[]>(
      `SELECT ${PUBLISHED} FROM artifacts a JOIN artifact_versions v ON v.artifact_id = a.id AND v.publish_key = $2
       WHERE a.owner_id = $1 AND (a.id = $3 OR ($3 IS NULL AND a.publish_key = $4))`,
      [ownerId, publishKey, artifactId ?? null, artifactKey ?? publishKey],
    );
    return row ?? null;
  }

  /** What the queries read, by its ref. */
  private async describe(ownerId: number, queries: readonly NamedQuery[]): Promise<Record<string, ArtifactSource>> {
    const refs = [...new Set(queries.map(({ sourceRef }) => sourceRef))];
    const sources = refs.length === 0 ? [] : await this.sources.describe(ownerId, refs);
    return Object.fromEntries(sources.map((source) => [source.ref, source]));
  }

  /** The account is locked. */
  private async add(
    tx: EntityManager,
    ownerId: number,
    draft: ArtifactDraft,
    sources: Record<string, ArtifactSource>,
    options: PublishOptions,
  ): Promise<PublishedVersion> {
    const { title, kind } = draft;
    const artifactKey = options.artifactKey ?? options.publishKey ?? null;
    const known = options.artifactId ?? (await this.findByKey(tx, ownerId, artifactKey));
    const before = known === null ? null : await this.access.lockOwn(ownerId, known, tx);
    if (before && options.expectedVersion !== undefined && options.expectedVersion !== before.version)
      throw versionConflict(before.version);
    const artifactId = before?.id ?? newTimeOrderedId();
    const version = (before?.version ?? 0) + 1;
    if (!before)
      await this.insert(tx, ownerId, { artifactId, title, kind, artifactKey, workflowId: options.workflowId });
    await insertVersion(tx, artifactId, version, { ...draft, sources, publishKey: options.publishKey ?? null });
    await makeLatest(tx, artifactId, { version, title, kind });
    if (before && before.title !== title) await this.parts.rename(artifactId, title, tx);
    const actor = {
      userId: ownerId,
      username: (await this.access.requireOwner(ownerId, artifactId, tx)).createdBy.username,
    };
    const details = { title, version };
    await this.audit.record({ action: 'artifact.published', actor, target: `artifact:${artifactId}`, details }, tx);
    return { artifactId, version, title, kind };
  }

  private async findByKey(tx: EntityManager, ownerId: number, artifactKey: string | null): Promise<string | null> {
    if (artifactKey === null) return null;
    const [row] = await tx.query<{ id: string }[]>(
      'SELECT id FROM artifacts WHERE owner_id = $1 AND publish_key = $2',
      [ownerId, artifactKey],
    );
    return row?.id ?? null;
  }

  private async insert(
    tx: EntityManager,
    ownerId: number,
    artifact: {
      artifactId: string;
      title: string;
      kind: string;
      artifactKey: string | null;
      workflowId?: string | undefined;
    },
  ): Promise<void> {
    await requireRoom(tx, ownerId);
    const { artifactId, title, kind, artifactKey, workflowId = null } = artifact;
    await tx.query(
      `INSERT INTO artifacts (id, owner_id, title, kind, version, workflow_id, publish_key) VALUES ($1, $2, $3, $4, 1, $5, $6)`,
      [artifactId, ownerId, title, kind, workflowId, artifactKey],
    );
  }
}

/** The account is locked. @throws ConflictError `artifact_limit_reached` */
export async function requireRoom(tx: EntityManager, ownerId: number): Promise<void> {
  const [{ count }] = await tx.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM artifacts WHERE owner_id = $1',
    [ownerId],
  );
  if (count >= ARTIFACT_LIMITS.artifacts)
    throw new ConflictError(`You can have ${ARTIFACT_LIMITS.artifacts} artifacts at most.`, {
      code: 'artifact_limit_reached',
    });
}

const versionConflict = (version: number): ConflictError =>
  new ConflictError(`Version ${version} was published meanwhile.`, { code: 'version_conflict', extra: { version } });

export const versionNotFound = (): NotFoundError =>
  new NotFoundError('There is no such version of the artifact.', { code: 'version_not_found' });

function throwNone(version: number | null): never {
  throw version === null ? artifactNotFound() : versionNotFound();
}

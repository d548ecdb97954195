import { lockActiveAccount } from '@app/access';
import { type AuditAction, AuditLog } from '@app/audit';
import { ForbiddenError, newTimeOrderedId } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ArtifactAccess } from './artifact-access.js';
import { ArtifactParts } from './artifact-parts.js';
import { ARTIFACT_LIMITS, type ArtifactRecord, type PublishedVersion } from './artifact-shapes.js';
import { requireRoom, versionNotFound } from './artifacts.js';
import { copyVersion, makeLatest } from './version-rows.js';

interface Actor {
  userId: number;
  username: string;
}

/** What their creator does to artifacts themselves; each is a version that stands beside those before. */
@Injectable()
export class ArtifactChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: ArtifactAccess,
    private readonly parts: ArtifactParts,
    private readonly audit: AuditLog,
  ) {}

  /** The same page under another title, as the next version. @throws NotFoundError, ForbiddenError, ConflictError */
  async rename(actor: Actor, artifactId: string, title: string): Promise<PublishedVersion> {
    return this.write(actor, artifactId, async (artifact, tx) => {
      const version = artifact.version + 1;
      const changeNote = `Renamed from “${artifact.title}”.`;
      const from = { artifactId: artifact.id, version: artifact.version };
      await copyVersion(tx, from, { artifactId: artifact.id, version, title, changeNote });
      await this.finish(tx, { actor, action: 'artifact.renamed', artifact, details: { version } }, { version, title });
      return { artifactId: artifact.id, version, title, kind: artifact.kind };
    });
  }

  /**
   * A version as it was, title included, as the next one. Its sources may be gone by now: it shows what they give.
   * @throws NotFoundError `artifact_not_found`, `version_not_found`; ForbiddenError, ConflictError
   */
  async restore(actor: Actor, artifactId: string, version: number): Promise<PublishedVersion> {
    return this.write(actor, artifactId, async (artifact, tx) => {
      const next = artifact.version + 1;
      const changeNote = `Restored version ${version}.`;
      const title = await copyVersion(
        tx,
        { artifactId: artifact.id, version },
        { artifactId: artifact.id, version: next, changeNote },
      );
      if (title === null) throw versionNotFound();
      const details = { version: next, restored: version };
      await this.finish(tx, { actor, action: 'artifact.restored', artifact, details }, { version: next, title });
      return { artifactId: artifact.id, version: next, title, kind: artifact.kind };
    });
  }

  /** Its latest version as the first one of another artifact. @param title null: says that it is a copy */
  async duplicate(actor: Actor, artifactId: string, title: string | null): Promise<ArtifactRecord> {
    return this.write(actor, artifactId, async (artifact, tx) => {
      await requireRoom(tx, actor.userId);
      const id = newTimeOrderedId();
      const copied = title ?? [...`Copy of ${artifact.title}`].slice(0, ARTIFACT_LIMITS.titleCharacters).join('');
      await tx.query(
        'INSERT INTO artifacts (id, owner_id, title, kind, version) SELECT $1, owner_id, $2, kind, 1 FROM artifacts WHERE id = $3',
        [id, copied, artifact.id],
      );
      const from = { artifactId: artifact.id, version: artifact.version };
      const changeNote = `Copy of “${artifact.title}”, version ${artifact.version}.`;
      await copyVersion(tx, from, { artifactId: id, version: 1, title: copied, changeNote });
      await this.record(tx, actor, 'artifact.duplicated', artifact.id, { copy: id });
      return this.access.requireOwner(actor.userId, id, tx);
    });
  }

  /** With the account and the artifact locked. */
  private async write<T>(
    { userId }: Actor,
    artifactId: string,
    work: (artifact: ArtifactRecord, tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    return retriedTransaction(this.dataSource, async (tx) => {
      if ((await lockActiveAccount(tx, userId)) === null) throw new ForbiddenError();
      return work(await this.access.lockOwn(userId, artifactId, tx), tx);
    });
  }

  private async finish(
    tx: EntityManager,
    {
      actor,
      action,
      artifact,
      details,
    }: { actor: Actor; action: AuditAction; artifact: ArtifactRecord; details: object },
    { version, title }: { version: number; title: string },
  ): Promise<void> {
    await makeLatest(tx, artifact.id, { version, title });
    if (title !== artifact.title) await this.parts.rename(artifact.id, title, tx);
    await this.record(tx, actor, action, artifact.id, { title, ...details });
  }

  private record(
    tx: EntityManager,
    actor: Actor,
    action: AuditAction,
    artifactId: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record({ action, actor, target: `artifact:${artifactId}`, details }, tx);
  }
}

import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import { hashToken, InvalidRequestError, newId, newToken, NotFoundError } from '@app/common';
import { type SealedPlace, SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { publicPagePath } from './links-to-artifact.js';
import { findDocumentUidInPath } from '../store/media-path.js';

/** Tells which files are one's own, of whichever kind: implemented above, where all owners of files are known. */
export abstract class OwnFiles {
  /** The canonical path and the name; null when the file is not the owner's. */
  abstract findOwned(ownerId: number, path: string): Promise<{ path: string; name: string } | null>;
}

export interface PermanentLinkRecord {
  uid: string;
  /** Of the public page, for an artifact. */
  mediaPath: string;
  name: string;
  artifactUid: string | null;
  token: string;
  createdAt: Date;
  lastAccessedAt: Date | null;
  accessCount: number;
}

type Row = Omit<PermanentLinkRecord, 'token'> & { sealed: Buffer };

const COLUMNS = `uid, media_path AS "mediaPath", name, artifact_uid AS "artifactUid", token_sealed AS sealed,
  created_at AS "createdAt", last_accessed_at AS "lastAccessedAt", access_count AS "accessCount"`;

/** Public addresses of one's own files and artifacts, until they are taken back (docs/contract/artifacts.md#permanent-links). */
@Injectable()
export class PermanentLinks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly files: OwnFiles,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first. */
  async list(ownerId: number): Promise<PermanentLinkRecord[]> {
    const rows = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS} FROM permanent_links WHERE owner_id = $1 ORDER BY created_at DESC, uid LIMIT 1000`,
      [ownerId],
    );
    return rows.map((row) => this.opened(row));
  }

  /**
   * The one link of this file, made when there is none.
   * @throws InvalidRequestError `not_linkable` for a path that names no file of the owner's own: somebody who was shown
   *   a file cannot make it public
   */
  async mint(owner: Principal, path: string): Promise<PermanentLinkRecord> {
    const file = await this.files.findOwned(owner.userId, path);
    if (!file) throw notLinkable();
    return this.dataSource.transaction(async (tx) => {
      await keepDocument(tx, file.path);
      return this.insert(owner, { ...file, artifactUid: null }, tx);
    });
  }

  /**
   * The one link of this artifact, which goes with it.
   * @param artifact the caller's own, held in the transaction: who asks has seen to that
   */
  mintForArtifact(
    owner: Principal,
    { id, title }: { id: string; title: string },
    tx: EntityManager,
  ): Promise<PermanentLinkRecord> {
    return this.insert(owner, { path: publicPagePath(id), name: title, artifactUid: id }, tx);
  }

  /** @throws NotFoundError for one that is not the owner's */
  async revoke(owner: Principal, uid: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        'DELETE FROM permanent_links WHERE uid = $1 AND owner_id = $2',
        [uid, owner.userId],
      );
      if (count === 0) throw new NotFoundError('Link not found.', { code: 'link_not_found' });
      await this.audit.record({ action: 'link.revoked', actor: owner, target: `link:${uid}` }, tx);
    });
  }

  /** Whether a link leads to the path of a file, or of the public page of an artifact. Links of closed accounts lead nowhere. */
  async isLinked(path: string, tokenHash: Buffer): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT FROM permanent_links l JOIN users u ON u.id = l.owner_id
       WHERE l.token_hash = $1 AND l.media_path = $2 AND u.is_active`,
      [tokenHash, path],
    );
    return rows.length > 0;
  }

  async countVisit(tokenHash: Buffer): Promise<void> {
    await this.dataSource.query(
      `UPDATE permanent_links SET access_count = access_count + 1, last_accessed_at = now() WHERE token_hash = $1`,
      [tokenHash],
    );
  }

  private async insert(
    owner: Principal,
    target: { path: string; name: string; artifactUid: string | null },
    tx: EntityManager,
  ): Promise<PermanentLinkRecord> {
    const uid = newId();
    const token = newToken();
    const sealed = this.sealing.seal(token, sealedAt(uid));
    const [row] = await tx.query<[Row]>(
      `INSERT INTO permanent_links AS l (uid, owner_id, media_path, name, artifact_uid, token_hash, token_sealed)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (owner_id, media_path) DO UPDATE SET media_path = l.media_path RETURNING ${COLUMNS}`,
      [uid, owner.userId, target.path, target.name, target.artifactUid, hashToken(token), sealed],
    );
    if (row.uid === uid) await this.audit.record({ action: 'link.created', actor: owner, target: `link:${uid}` }, tx);
    return this.opened(row);
  }

  private opened({ sealed, ...row }: Row): PermanentLinkRecord {
    return { ...row, token: this.sealing.openText(sealed, sealedAt(row.uid)) };
  }
}

/** Its purge takes the links along that it finds: it waits for this one, or has been. @throws InvalidRequestError */
async function keepDocument(tx: EntityManager, path: string): Promise<void> {
  const uid = findDocumentUidInPath(path);
  if (uid === null) return;
  const rows = await tx.query<unknown[]>('SELECT FROM documents WHERE uid = $1 FOR KEY SHARE', [uid]);
  if (rows.length === 0) throw notLinkable();
}

const notLinkable = () => new InvalidRequestError('This file cannot be linked.', { code: 'not_linkable' });

const sealedAt = (uid: string): SealedPlace => ({ table: 'permanent_links', column: 'token_sealed', row: uid });

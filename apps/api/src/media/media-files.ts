import { visibleDocument } from '@app/access';
import { isUuid } from '@app/common';
import { findDocumentUidInPath, findThumbnailInPath } from '@app/documents';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TabularMedia } from './tabular-media.js';
import { ThumbnailFiles } from './thumbnail-files.js';
import { WorkflowMedia } from './workflow-media.js';

/** Where copies of one's data are served: `/media/exports/<id>/atrium-export.zip`. */
export const EXPORTED = '/media/exports/';

export interface MediaFile {
  storageKey: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
}

/** Which files stand behind media paths. */
@Injectable()
export class MediaFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly thumbnails: ThumbnailFiles,
    private readonly tables: TabularMedia,
    private readonly workflows: WorkflowMedia,
  ) {}

  /**
   * The canonical paths of those that the viewer may read, by the path as it was asked for: with or without
   * `/media/`, percent-encoded or not, but always of that document and with its own file name.
   */
  async findReadable(viewerId: number, paths: string[]): Promise<Map<string, string>> {
    const wanted = new Map(paths.map((path) => [path, findDocumentUidInPath(path)]));
    const uids = [...new Set(wanted.values())].filter((uid) => uid !== null);
    const rows = await this.dataSource.query<{ uid: string; path: string; filename: string }[]>(
      `SELECT d.uid, d.path, d.filename FROM documents d WHERE d.uid = ANY($2::uuid[]) AND ${visibleDocument('d', '$1')}`,
      [viewerId, uids],
    );
    const byUid = new Map(rows.map((row) => [row.uid, row]));
    const readable = new Map<string, string>();
    for (const [asked, uid] of wanted) {
      const row = uid === null ? undefined : byUid.get(uid);
      const last = asked.split('/').at(-1);
      if (row && (row.path.endsWith(`/${last}`) || row.filename === last)) readable.set(asked, row.path);
    }
    const others = paths.filter((path) => !readable.has(path));
    if (others.length > 0) {
      for (const [asked, path] of await this.thumbnails.findReadable(viewerId, others)) readable.set(asked, path);
      for (const [asked, path] of await this.tables.findReadable(viewerId, others)) readable.set(asked, path);
      for (const [asked, path] of await this.workflows.findReadable(viewerId, others)) readable.set(asked, path);
    }
    return readable;
  }

  /**
   * The file behind a path that was signed, or has a link: that stands for the access. A document that was renamed since
   * is found by its old path. Null when it is gone or trashed.
   */
  async findSigned(path: string): Promise<MediaFile | null> {
    if (TabularMedia.covers(path)) return this.tables.findSigned(path);
    if (ThumbnailFiles.covers(path)) return this.thumbnails.findSigned(path);
    if (WorkflowMedia.covers(path)) return this.workflows.findSigned(path);
    const uid = findDocumentUidInPath(path);
    if (uid === null) return path.startsWith(EXPORTED) ? this.findSignedExport(path) : null;
    const [row] = await this.dataSource.query<(Omit<MediaFile, 'sizeBytes'> & { sizeBytes: string })[]>(
      `SELECT storage_key AS "storageKey", filename, mime_type AS "mimeType", size_bytes AS "sizeBytes", sha256
       FROM documents WHERE uid = $1 AND deleted_at IS NULL`,
      [uid],
    );
    return row ? { ...row, sizeBytes: Number(row.sizeBytes) } : null;
  }

  /**
   * Whether somebody who could read the file when its path was signed still can; a document may be shared with them no
   * longer. What belongs to them alone is theirs as long as it is there.
   */
  async isStillShown(viewerId: number, path: string): Promise<boolean> {
    if (WorkflowMedia.covers(path)) return this.workflows.isStillShown(viewerId, path);
    const uid = findDocumentUidInPath(path) ?? findThumbnailInPath(path)?.uid ?? null;
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT FROM users u WHERE u.id = $1 AND u.is_active AND ($2::uuid IS NULL OR EXISTS (
         SELECT FROM documents d WHERE d.uid = $2 AND ${visibleDocument('d', 'u.id')}))`,
      [viewerId, uid],
    );
    return rows.length > 0;
  }

  /** The canonical path of one's own file, of which one may make a public address; null when it is not one's own. */
  async findOwned(ownerId: number, path: string): Promise<{ path: string; name: string } | null> {
    const canonical = (await this.findReadable(ownerId, [path])).get(path);
    const uid = canonical === undefined ? null : findDocumentUidInPath(canonical);
    if (canonical === undefined) return null;
    const name = decodeURIComponent(canonical.split('/').at(-1)!);
    if (uid === null) return (await this.workflows.isOwned(ownerId, canonical)) ? { path: canonical, name } : null;
    const owned = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM documents WHERE uid = $1 AND owner_id = $2 AND deleted_at IS NULL',
      [uid, ownerId],
    );
    return owned.length > 0 ? { path: canonical, name } : null;
  }

  /** Whether a permanent link leads to the path. Links of closed accounts lead nowhere. */
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

  private async findSignedExport(path: string): Promise<MediaFile | null> {
    const [id, filename = ''] = path.slice(EXPORTED.length).split('/');
    if (!isUuid(id)) return null;
    const [row] = await this.dataSource.query<{ storageKey: string; sizeBytes: string; sha256: string }[]>(
      `SELECT storage_key AS "storageKey", size_bytes AS "sizeBytes", sha256 FROM exports
       WHERE id = $1 AND state = 'ready' AND expires_at > now()`,
      [id],
    );
    return row ? { ...row, filename, mimeType: 'application/zip', sizeBytes: Number(row.sizeBytes) } : null;
  }
}

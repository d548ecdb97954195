import { visibleDocument } from '@app/access';
import type { MediaFile } from '@app/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findThumbnailInPath } from '../thumbnails/thumbnail-path.js';
import { findDocumentUidInPath } from './media-path.js';

/** Documents by their media paths. */
@Injectable()
export class DocumentMedia {
  constructor(private readonly dataSource: DataSource) {}

  static covers(path: string): boolean {
    return findDocumentUidInPath(path) !== null;
  }

  /**
   * The canonical paths of those that the viewer may read, by the path asked for: with or without `/media/`,
   * percent-encoded or not, but always of that document and with its own file name.
   */
  async findReadable(viewerId: number, paths: readonly string[]): Promise<[string, string][]> {
    const wanted = new Map(paths.map((path) => [path, findDocumentUidInPath(path)]));
    const uids = [...new Set(wanted.values())].filter((uid) => uid !== null);
    const rows = await this.dataSource.query<{ uid: string; path: string; filename: string }[]>(
      `SELECT d.uid, d.path, d.filename FROM documents d WHERE d.uid = ANY($2::uuid[]) AND ${visibleDocument('d', '$1')}`,
      [viewerId, uids],
    );
    const byUid = new Map(rows.map((row) => [row.uid, row]));
    return [...wanted].flatMap(([asked, uid]): [string, string][] => {
      const row = uid === null ? undefined : byUid.get(uid);
      const last = asked.split('/').at(-1);
      return row && (row.path.endsWith(`/${last}`) || row.filename === last) ? [[asked, row.path]] : [];
    });
  }

  /** The paths of those documents that the viewer may read, by uid. */
  async findPaths(viewerId: number, uids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.dataSource.query<{ uid: string; path: string }[]>(
      `SELECT d.uid, d.path FROM documents d WHERE d.uid = ANY($2::uuid[]) AND ${visibleDocument('d', '$1')}`,
      [viewerId, uids],
    );
    return new Map(rows.map(({ uid, path }) => [uid, path]));
  }

  /** One that was renamed since is found by its old path. Null when it is gone or trashed. */
  async findSigned(path: string): Promise<MediaFile | null> {
    const [row] = await this.dataSource.query<(Omit<MediaFile, 'sizeBytes'> & { sizeBytes: string })[]>(
      `SELECT storage_key AS "storageKey", filename, mime_type AS "mimeType", size_bytes AS "sizeBytes", sha256
       FROM documents WHERE uid = $1 AND deleted_at IS NULL`,
      [findDocumentUidInPath(path)],
    );
    return row ? { ...row, sizeBytes: Number(row.sizeBytes) } : null;
  }

  /**
   * Whether an active account still sees the document behind this path, or behind that of its picture. A path of neither
   * asks for the account alone.
   */
  async isStillShown(viewerId: number, path: string): Promise<boolean> {
    const uid = findDocumentUidInPath(path) ?? findThumbnailInPath(path)?.uid ?? null;
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT FROM users u WHERE u.id = $1 AND u.is_active AND ($2::uuid IS NULL OR EXISTS (
         SELECT FROM documents d WHERE d.uid = $2 AND ${visibleDocument('d', 'u.id')}))`,
      [viewerId, uid],
    );
    return rows.length > 0;
  }

  /** Whether it is one's own: others who see it cannot make it public. */
  async isOwned(ownerId: number, path: string): Promise<boolean> {
    const owned = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM documents WHERE uid = $1 AND owner_id = $2 AND deleted_at IS NULL',
      [findDocumentUidInPath(path), ownerId],
    );
    return owned.length > 0;
  }
}

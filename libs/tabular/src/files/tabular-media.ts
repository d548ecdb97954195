import type { MediaFile } from '@app/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findTabularUidInPath } from './tabular-media-path.js';

/** `/media/tables/<uid>/<name>`: uploads of the database and the spreadsheet store, which only their owner may sign. */
@Injectable()
export class TabularMedia {
  constructor(private readonly dataSource: DataSource) {}

  static covers(path: string): boolean {
    return findTabularUidInPath(path) !== null;
  }

  /** Canonical paths of what the viewer owns, by the path asked for. */
  async findReadable(viewerId: number, paths: string[]): Promise<[string, string][]> {
    const wanted = paths.flatMap((path) => {
      const uid = findTabularUidInPath(path);
      return uid === null ? [] : [{ path, uid, name: path.split('/').at(-1)! }];
    });
    if (wanted.length === 0) return [];
    const rows = await this.dataSource.query<{ uid: string; path: string; filename: string }[]>(
      'SELECT uid, path, filename FROM tabular_files WHERE owner_id = $1 AND uid = ANY($2::uuid[])',
      [viewerId, wanted.map(({ uid }) => uid)],
    );
    const byUid = new Map(rows.map((row) => [row.uid, row]));
    return wanted.flatMap(({ path, uid, name }): [string, string][] => {
      const row = byUid.get(uid);
      const isIts = row !== undefined && (row.filename === name || row.path.endsWith(`/${name}`));
      return isIts ? [[path, row.path]] : [];
    });
  }

  async findSigned(path: string): Promise<MediaFile | null> {
    const [row] = await this.dataSource.query<(Omit<MediaFile, 'sizeBytes'> & { sizeBytes: string })[]>(
      `SELECT storage_key AS "storageKey", filename, mime_type AS "mimeType", size_bytes AS "sizeBytes", sha256
       FROM tabular_files WHERE uid = $1 AND path = $2`,
      [findTabularUidInPath(path), path],
    );
    return row ? { ...row, sizeBytes: Number(row.sizeBytes) } : null;
  }
}

import { visibleDocument, visibleDocumentUids } from '@app/access';
import { InvalidRequestError, isUuid, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface ListedDocument {
  uid: string;
  filename: string;
  folder: string;
  is_own: boolean;
  mime_type: string;
  size_bytes: number;
  pages: number | null;
  tags: string[];
  state: string;
  created_at: string;
}

const COLUMNS = `d.uid, d.filename, CASE WHEN d.owner_id = $1 THEN d.folder ELSE '' END AS folder,
  d.owner_id = $1 AS is_own, d.mime_type, d.size_bytes::float8 AS size_bytes, d.page_number AS pages, d.tags,
  d.processing_state AS state, d.created_at::text AS cursor,
  to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at`;

/** Documents as MCP clients see them: those that the viewer may read, in pages. */
@Injectable()
export class ReadableDocuments {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. @throws InvalidRequestError (`invalid_cursor`) */
  async list(
    viewerId: number,
    { nameContains, folder }: { nameContains?: string | undefined; folder?: string | undefined },
    limit: number,
    cursor?: string,
  ): Promise<{ documents: ListedDocument[]; nextCursor: string | null }> {
    const last = cursor === undefined ? null : readCursor(cursor);
    const rows = await this.dataSource.query<(ListedDocument & { cursor: string })[]>(
      `SELECT ${COLUMNS} FROM documents d
       WHERE d.uid IN ${visibleDocumentUids('$1')} AND ($2::timestamptz IS NULL OR (d.created_at, d.uid) < ($2, $3::uuid))
         AND ($4::text IS NULL OR d.filename ILIKE $4)
         AND ($5::text IS NULL OR (d.owner_id = $1 AND (d.folder = $5 OR starts_with(d.folder, $5 || '/'))))
       ORDER BY d.created_at DESC, d.uid DESC LIMIT $6`,
      [
        viewerId,
        last?.at ?? null,
        last?.uid ?? null,
        nameContains ? `%${nameContains.replace(/[\\%_]/g, '\\$&')}%` : null,
        folder || null,
        limit + 1,
      ],
    );
    const page = rows.slice(0, limit);
    const end = page.at(-1);
    return {
      documents: page.map(({ cursor: _cursor, ...document }) => document),
      nextCursor: rows.length > limit && end ? writeCursor(end.cursor, end.uid) : null,
    };
  }

  /** @throws NotFoundError for what the viewer may not read, too */
  async get(viewerId: number, uid: string): Promise<{ filename: string; mimeType: string; isReadable: boolean }> {
    const [row] = await this.dataSource.query<{ filename: string; mimeType: string; isReadable: boolean }[]>(
      `SELECT d.filename, d.mime_type AS "mimeType", d.index_generation IS NOT NULL AS "isReadable" FROM documents d
       WHERE d.uid = $2 AND ${visibleDocument('d', '$1')}`,
      [viewerId, uid],
    );
    if (!row) throw documentNotFound();
    return row;
  }

  /** @throws NotFoundError when one of them is not the viewer's to read */
  async requireAll(viewerId: number, uids: readonly string[]): Promise<void> {
    if (uids.length === 0) return;
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM documents d WHERE d.uid = ANY ($2::uuid[]) AND ${visibleDocument('d', '$1')}`,
      [viewerId, uids],
    );
    if (count < new Set(uids.map((uid) => uid.toLowerCase())).size) throw documentNotFound();
  }
}

const documentNotFound = () => new NotFoundError('Document not found.', { code: 'document_not_found' });

function writeCursor(at: string, uid: string): string {
  return Buffer.from(`${at} ${uid}`).toString('base64url');
}

function readCursor(cursor: string): { at: string; uid: string } {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, at = '', uid = ''] = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00) ([0-9a-f-]{36})$/.exec(text) ?? [];
  if (!isUuid(uid) || Number.isNaN(Date.parse(at.replace('+00', 'Z'))))
    throw new InvalidRequestError('This is no cursor of this list.', { code: 'invalid_cursor' });
  return { at, uid };
}

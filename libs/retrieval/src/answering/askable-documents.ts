import { visibleDocument } from '@app/access';
import { ConflictError, NotFoundError } from '@app/common';
import type { DataSource } from 'typeorm';

/**
 * That the viewer may read each of the documents, and that each can answer. One that is being indexed again answers from
 * its previous index.
 * @throws NotFoundError when one of them is not shown to the viewer, ConflictError `document_not_ready` with `uids`
 */
export async function requireAskable(dataSource: DataSource, userId: number, uids: readonly string[]): Promise<void> {
  const wanted = [...new Set(uids)];
  const rows = await dataSource.query<{ uid: string; ready: boolean }[]>(
    `SELECT d.uid, d.index_generation IS NOT NULL AS ready FROM documents d WHERE d.uid = ANY ($2) AND ${visibleDocument('d', '$1')}`,
    [userId, wanted],
  );
  if (rows.length < wanted.length) throw new NotFoundError('Document not found.', { code: 'document_not_found' });
  const waiting = rows.filter(({ ready }) => !ready).map(({ uid }) => uid);
  if (waiting.length > 0)
    throw new ConflictError('The document is not ready to be asked yet.', {
      code: 'document_not_ready',
      extra: { uids: waiting },
    });
}

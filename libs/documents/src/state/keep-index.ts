import type { EntityManager } from 'typeorm';
import { documentColumns, type DocumentRecord } from './document-columns.js';
import { transition } from './transition.js';

/**
 * Ends work on a document whose index answers questions, so that it is what it was before the work was asked for. In
 * the caller's transaction; whoever is at it writes nothing more.
 * @param isGivenUp the work has failed in this transaction
 * @returns null when nothing of the bytes that it has is indexed, or there is no such work
 */
export async function keepIndex(
  tx: EntityManager,
  uid: string,
  { isGivenUp = false, status }: { isGivenUp?: boolean; status: string },
): Promise<DocumentRecord | null> {
  const [kept] = await transition(tx, [uid], isGivenUp ? 'keep_after_failure' : 'keep_index', {
    isServed: true,
    set: { status, lastError: '', failedTries: 0 },
    increment: ['fence'],
  });
  if (!kept) return null;
  const [[row]] = await tx.query<[DocumentRecord[], number]>(
    `UPDATE documents d SET completed_at = coalesce(i.created_at, now()), page_number = coalesce(i.page_count, d.page_number)
     FROM documents o LEFT JOIN document_indexes i ON i.document_uid = o.uid AND i.generation = o.index_generation
     WHERE o.uid = d.uid AND d.uid = $1 RETURNING ${documentColumns('d')}`,
    [uid],
  );
  return row ?? kept;
}

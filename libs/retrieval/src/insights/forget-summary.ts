import type { EntityManager } from 'typeorm';

/** For a document with new content. A worker that writes the summary of the old one finds nothing to write to. */
export async function forgetSummary(uid: string, tx: EntityManager): Promise<void> {
  await tx.query('DELETE FROM document_summaries WHERE document_uid = $1', [uid]);
}

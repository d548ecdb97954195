import { ForbiddenError, NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';

/** What a viewer is to a document; null is nobody. */
export type DocumentRole = 'owner' | 'reader' | null;

/** `read` is for everybody whom the document is shown to, `manage` for its owner. */
export type DocumentAction = 'read' | 'manage';

/**
 * Whether the viewer may do it (docs/contract/conventions.md#who-may-see-what): who cannot see the document learns
 * nothing of it, who can see it
 * but does not own it is told so.
 * @throws NotFoundError without any access
 * @throws ForbiddenError for an owner's action by a reader
 */
export function decideDocumentAccess(role: DocumentRole, action: DocumentAction): void {
  if (role === null) throw new NotFoundError('Document not found.', { code: 'document_not_found' });
  if (action === 'manage' && role !== 'owner')
    throw new ForbiddenError('Only the owner of the document can do this.', { code: 'not_document_owner' });
}

/**
 * SQL condition: the row of `documents` under `alias` is shown to the user whose id is the parameter `viewer`
 * (such as `$1`). Owned or shared, and not in the trash.
 */
export function visibleDocument(alias: string, viewer: string): string {
  return (
    `(${alias}.deleted_at IS NULL AND (${alias}.owner_id = ${viewer} OR EXISTS (` +
    `SELECT 1 FROM document_shares share WHERE share.document_uid = ${alias}.uid AND share.user_id = ${viewer})))`
  );
}

/**
 * SQL: the uids of all documents shown to the user whose id is the parameter `viewer`, as a subquery. For a search
 * over everything that the viewer has: each half is read from its own index.
 */
export function visibleDocumentUids(viewer: string): string {
  return (
    `(SELECT own.uid FROM documents own WHERE own.owner_id = ${viewer} AND own.deleted_at IS NULL ` +
    `UNION ALL SELECT theirs.uid FROM document_shares share JOIN documents theirs ON theirs.uid = share.document_uid ` +
    `WHERE share.user_id = ${viewer} AND theirs.deleted_at IS NULL AND theirs.owner_id <> ${viewer})`
  );
}

/**
 * SQL, from FROM to its condition, to which a statement may add others: the rows `d` of `documents` that are the viewer's
 * own. Together with `sharedDocuments`, by UNION ALL, all that is shown to the viewer.
 * @param join goes on from `d`
 */
export function ownDocuments(viewer: string, join = ''): string {
  return `documents d ${join} WHERE d.owner_id = ${viewer} AND d.deleted_at IS NULL`;
}

/** The same of those that others share with the viewer. */
export function sharedDocuments(viewer: string, join = ''): string {
  return (
    `document_shares share JOIN documents d ON d.uid = share.document_uid ${join} ` +
    `WHERE share.user_id = ${viewer} AND d.deleted_at IS NULL AND d.owner_id <> ${viewer}`
  );
}

/**
 * SQL: who shares documents with the user whose id is the parameter `viewer`, as the recursive query `sharing` (some rows
 * have no owner). From each owner to the next in the index, however many documents each shares.
 */
export function sharingOwners(viewer: string): string {
  return (
    `sharing AS (SELECT min(owner_id) AS owner_id FROM document_shares WHERE user_id = ${viewer} ` +
    `UNION ALL SELECT (SELECT min(s.owner_id) FROM document_shares s ` +
    `WHERE s.user_id = ${viewer} AND s.owner_id > sharing.owner_id) FROM sharing WHERE sharing.owner_id IS NOT NULL)`
  );
}

/** The viewer's role on a document that is not in the trash; null also when there is no such document. */
export async function findDocumentRole(
  db: DataSource | EntityManager,
  viewerId: number,
  uid: string,
): Promise<DocumentRole> {
  const [row] = await db.query<{ owned: boolean }[]>(
    `SELECT d.owner_id = $1 AS owned FROM documents d WHERE d.uid = $2 AND ${visibleDocument('d', '$1')}`,
    [viewerId, uid],
  );
  if (!row) return null;
  return row.owned ? 'owner' : 'reader';
}

/** Which of the uids are documents, and which of these are shown to the viewer. */
export async function documentsAmong(
  db: DataSource | EntityManager,
  viewerId: number,
  uids: readonly string[],
): Promise<{ uid: string; isVisible: boolean }[]> {
  if (uids.length === 0) return [];
  return db.query<{ uid: string; isVisible: boolean }[]>(
    `SELECT d.uid, ${visibleDocument('d', '$1')} AS "isVisible" FROM documents d WHERE d.uid = ANY ($2::uuid[])`,
    [viewerId, uids],
  );
}

/** Those of the documents that are shown to the viewer, in no order; they stay until the end of the transaction. */
export async function holdReadableDocuments(
  tx: EntityManager,
  viewerId: number,
  uids: readonly string[],
): Promise<{ uid: string; filename: string }[]> {
  return tx.query<{ uid: string; filename: string }[]>(
    `SELECT d.uid, d.filename FROM documents d WHERE d.uid = ANY ($2::uuid[]) AND ${visibleDocument('d', '$1')}
     ORDER BY d.uid FOR KEY SHARE OF d`,
    [viewerId, uids],
  );
}

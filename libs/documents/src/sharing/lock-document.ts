import { decideDocumentAccess, findDocumentRole } from '@app/access';
import type { EntityManager } from 'typeorm';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';

/** Who does something; as the audit log names them. */
export interface Actor {
  userId: number;
  username: string;
}

/**
 * The document, locked until the transaction ends: what changes who may read it happens one after the other. Take it
 * before any row that belongs to it. Null when it is gone or in the trash.
 */
export async function lockDocument(tx: EntityManager, uid: string): Promise<DocumentRecord | null> {
  const [row] = await tx.query<DocumentRecord[]>(
    `SELECT ${documentColumns('d')} FROM documents d WHERE d.uid = $1 AND d.deleted_at IS NULL FOR NO KEY UPDATE`,
    [uid],
  );
  return row ?? null;
}

/** The same for its owner. @throws NotFoundError, ForbiddenError as `decideDocumentAccess` says */
export async function lockOwnDocument(tx: EntityManager, ownerId: number, uid: string): Promise<DocumentRecord> {
  const document = await lockDocument(tx, uid);
  decideDocumentAccess(document && (await findDocumentRole(tx, ownerId, uid)), 'manage');
  // Without a document the line above has thrown.
  return document!;
}

import { visibleDocument } from '@app/access';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';

/** The newest so many: what was decided long ago is history. */
const LIST_LIMIT = 1000;

export type AccessRequestStatus = 'pending' | 'approved' | 'denied' | 'revoked';

export interface AccessRequestRecord {
  id: number;
  document: DocumentRecord;
  /** Who asked. `phone` is a decimal string. */
  user: { id: number; firstName: string; lastName: string; username: string; email: string; phone: string | null };
  /** Whether who asked can read the document now; without that they are told nothing of its content. */
  isReader: boolean;
  status: AccessRequestStatus;
  /** Why it was denied, in the owner's words. */
  reason: string;
  createdAt: Date;
  updatedAt: Date;
}

type Row = Omit<AccessRequestRecord, 'document'> & { uid: string };

const COLUMNS = `r.id, r.document_uid AS uid, r.status, r.reason, r.created_at AS "createdAt", r.updated_at AS "updatedAt",
  ${visibleDocument('d', 'r.user_id')} AS "isReader",
  json_build_object('id', u.id, 'firstName', u.first_name, 'lastName', u.last_name, 'username', u.username,
    'email', u.email, 'phone', u.phone::text) AS user`;

/** Access requests as their two sides see them. Those of documents in the trash are hidden with them. */
@Injectable()
export class AccessRequestReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Requests for the owner's documents, newest first. */
  listReceived(ownerId: number): Promise<AccessRequestRecord[]> {
    return this.find(this.dataSource.manager, 'd.owner_id = $1', ownerId);
  }

  /** Requests that the user made, newest first. */
  listMade(userId: number): Promise<AccessRequestRecord[]> {
    return this.find(this.dataSource.manager, 'r.user_id = $1', userId);
  }

  /** In the transaction that decides on it. Null also while its document is in the trash. */
  async findById(id: number, tx: EntityManager): Promise<AccessRequestRecord | null> {
    const [found] = await this.find(tx, 'r.id = $1', id);
    return found ?? null;
  }

  private async find(db: EntityManager, condition: string, value: number): Promise<AccessRequestRecord[]> {
    const rows = await db.query<Row[]>(
      `SELECT ${COLUMNS} FROM access_requests r
       JOIN documents d ON d.uid = r.document_uid AND d.deleted_at IS NULL JOIN users u ON u.id = r.user_id
       WHERE ${condition} ORDER BY r.created_at DESC, r.id DESC LIMIT ${LIST_LIMIT}`,
      [value],
    );
    const documents = await db.query<DocumentRecord[]>(
      `SELECT ${documentColumns('d')} FROM documents d WHERE d.uid = ANY($1::uuid[]) AND d.deleted_at IS NULL`,
      [rows.map(({ uid }) => uid)],
    );
    const byUid = new Map(documents.map((document) => [document.uid, document]));
    return rows.flatMap(({ uid, ...request }) => {
      const document = byUid.get(uid);
      return document ? [{ ...request, document }] : [];
    });
  }
}

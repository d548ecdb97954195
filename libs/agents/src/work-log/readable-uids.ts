import { documentsAmong } from '@app/access';
import { tableFilesAmong } from '@app/tabular';
import type { DataSource, EntityManager } from 'typeorm';

type Database = DataSource | EntityManager;

/** Those that are documents or table files, whoever's. */
export async function filesAmong(db: Database, uids: readonly string[]): Promise<Set<string>> {
  const [documents, tables] = [await documentsAmong(db, 0, uids), await tableFilesAmong(db, 0, uids)];
  return new Set([...documents, ...tables].map(({ uid }) => uid));
}

/** Those that the viewer may read now. */
export async function readableAmong(db: Database, userId: number, uids: readonly string[]): Promise<Set<string>> {
  const documents = (await documentsAmong(db, userId, uids)).filter(({ isVisible }) => isVisible);
  const tables = (await tableFilesAmong(db, userId, uids)).filter(({ isOwn }) => isOwn);
  return new Set([...documents, ...tables].map(({ uid }) => uid));
}

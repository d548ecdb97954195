import { documentsAmong } from '@app/access';
import { chartsAmong } from '@app/artifacts';
import { tableFilesAmong } from '@app/tabular';
import type { DataSource, EntityManager } from 'typeorm';

type Database = DataSource | EntityManager;

/** Those that are documents, table files or charts, whoever's. */
export async function filesAmong(db: Database, uids: readonly string[]): Promise<Set<string>> {
  const documents = await documentsAmong(db, 0, uids);
  const tables = await tableFilesAmong(db, 0, uids);
  const charts = await chartsAmong(db, 0, uids);
  return new Set([...documents, ...tables, ...charts].map(({ uid }) => uid));
}

/** Those that the viewer may read now. */
export async function readableAmong(db: Database, userId: number, uids: readonly string[]): Promise<Set<string>> {
  const documents = (await documentsAmong(db, userId, uids)).filter(({ isVisible }) => isVisible);
  const tables = (await tableFilesAmong(db, userId, uids)).filter(({ isOwn }) => isOwn);
  const charts = (await chartsAmong(db, userId, uids)).filter(({ isSeen }) => isSeen);
  return new Set([...documents, ...tables, ...charts].map(({ uid }) => uid));
}

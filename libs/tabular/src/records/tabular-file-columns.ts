import type { TABULAR_STATES, TABULAR_STORES, TabularFile } from '@app/entities';
import type { DataSource, EntityManager } from 'typeorm';
import type { TabularSheet, TabularTable } from './tabular-table.js';

export type TabularStore = (typeof TABULAR_STORES)[number];
export type TabularState = (typeof TABULAR_STATES)[number];

const PROPERTIES = [
  'uid',
  'ownerId',
  'store',
  'folder',
  'filename',
  'path',
  'kind',
  'mimeType',
  'sizeBytes',
  'sha256',
  'storageKey',
  'databaseKey',
  'headerRow',
  'delimiter',
  'encoding',
  'processingState',
  'status',
  'lastError',
  'tables',
  'sheets',
  'warnings',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof TabularFile)[];

/** A row of `tabular_files` as the queries of this lib return it. `sizeBytes` is a decimal string (bigint). */
export type TabularFileRecord = Pick<
  TabularFile,
  Exclude<(typeof PROPERTIES)[number], 'store' | 'processingState' | 'tables' | 'sheets' | 'warnings'>
> & {
  store: TabularStore;
  processingState: TabularState;
  tables: TabularTable[];
  sheets: TabularSheet[];
  warnings: string[];
};

const columnOf = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The select list that gives `TabularFileRecord`s, for the table under `alias`. */
export function tabularFileColumns(alias: string): string {
  return PROPERTIES.map((property) => `${alias}.${columnOf(property)} AS "${property}"`).join(', ');
}

/** As it is now, whoever asks: for workers, and for code that has decided access already. Null when it is gone. */
export async function findTabularFileByUid(
  db: DataSource | EntityManager,
  uid: string,
): Promise<TabularFileRecord | null> {
  const [row] = await db.query<TabularFileRecord[]>(
    `SELECT ${tabularFileColumns('f')} FROM tabular_files f WHERE f.uid = $1`,
    [uid],
  );
  return row ?? null;
}

/** Instead of that of a completed file, where there are warnings. */
export const COMPLETED_WITH_WARNINGS = 'Imported and ready for questions; see the warnings.';

/** What people read while the worker has nothing more precise to say. */
export const TABULAR_STATUS_TEXTS: Record<TabularState, string> = {
  pending_publish: 'Waiting for the queue.',
  queued: 'Waiting to be imported.',
  processing: 'Reading the file.',
  completed: 'Imported and ready for questions.',
  failed: 'Could not be imported.',
};

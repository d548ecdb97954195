import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { tabularDatabaseKey, type TabularColumn, type TabularTable, type TabularType } from '@app/tabular';
import { DuckDBInstance } from '@duckdb/node-api';
import type { INestApplicationContext } from '@nestjs/common';
import type { TestApi } from './api.js';

export interface NewTable {
  name: string;
  sheet?: string | null;
  columns: Record<string, TabularType>;
  /** What else the import found out of columns, by name. */
  known?: Record<string, Partial<TabularColumn>>;
  totalRows?: TabularTable['totalRows'];
  /** A SELECT whose rows become the table. */
  rows: string;
  range?: string;
  firstRow?: number;
}

export interface NewTableFile {
  ownerId: number;
  store?: 'database' | 'spreadsheet';
  filename?: string;
  tables: NewTable[];
  /** False: it is not imported yet. */
  ready?: boolean;
}

/** Where files are kept. */
type Kept = Pick<TestApi, 'database'> & { app: INestApplicationContext };

/** A file of tables with its database, as an import leaves it. */
export async function addTableFile(api: Kept, file: NewTableFile): Promise<string> {
  const { ownerId, store = 'database', filename = 'orders.csv', ready = true } = file;
  const uid = newId();
  const key = tabularDatabaseKey(uid, 1);
  const tables = ready ? await build(api, key, file.tables) : [];
  await api.database.dataSource.query(
    `INSERT INTO tabular_files (uid, owner_id, store, filename, path, kind, mime_type, size_bytes, sha256, storage_key,
       database_key, processing_state, tables)
     VALUES ($1, $2, $3, $4, $5, 'csv', 'text/csv', 1, '', $6, $7, $8, $9)`,
    [
      uid,
      ownerId,
      store,
      filename,
      `/media/tables/${uid}/${filename}`,
      `tables/${uid}`,
      ready ? key : null,
      ready ? 'completed' : 'queued',
      JSON.stringify(tables),
    ],
  );
  return uid;
}

async function build(api: Kept, key: string, tables: readonly NewTable[]): Promise<TabularTable[]> {
  const folder = await mkdtemp(join(tmpdir(), 'table-file-'));
  const path = join(folder, 'tables.duckdb');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const built: TabularTable[] = [];
  for (const { name, sheet = null, columns, rows, range = 'A1:Z1000', firstRow = 2, known = {}, totalRows } of tables) {
    await connection.run(`CREATE TABLE "${name}" AS ${rows}`);
    const reader = await connection.runAndReadAll(`SELECT count(*)::INT FROM "${name}"`);
    built.push({
      name,
      sheet,
      rowCount: Number(reader.getRows()[0]![0]),
      columns: Object.entries(columns).map(([column, type]) => ({
        name: column,
        originalName: column,
        type,
        nullable: true,
        ...known[column],
      })),
      range,
      firstRow,
      contiguous: true,
      ...(totalRows ? { totalRows } : {}),
    });
  }
  connection.closeSync();
  instance.closeSync();
  await api.app.get(FileStorage).put(key, { path });
  await rm(folder, { recursive: true });
  return built;
}

/** Ten orders: 5 of Amman (100 each), 3 of Irbid (200 each), 2 of Zarqa (50 each). */
export const ORDERS: NewTable = {
  name: 'orders',
  columns: { order_id: 'integer', city: 'text', amount: 'number', day: 'date' },
  rows: `SELECT i + 1 AS order_id, CASE WHEN i < 5 THEN 'Amman' WHEN i < 8 THEN 'Irbid' ELSE 'Zarqa' END AS city,
           CASE WHEN i < 5 THEN 100.0::DOUBLE WHEN i < 8 THEN 200.0 ELSE 50.0 END AS amount,
           DATE '2024-01-15' + (i * 20)::INT AS day FROM range(10) t(i)`,
  range: 'B3:E13',
  firstRow: 4,
};

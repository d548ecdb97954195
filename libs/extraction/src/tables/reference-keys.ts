import { ValidationError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { TableColumn } from '../kit.js';
import { ColumnIndex } from './column-rules.js';
import { visibleTableIds } from './table-record.js';

type Reference = NonNullable<TableColumn['reference']>;

/** Keys are the same when they are read the same. */
const keyOf = (value: string): string =>
  value.normalize('NFKC').replace(/\s+/gu, ' ').trim().toUpperCase().toLowerCase();

const nameOf = ({ tableId, column }: Reference): string => `${tableId} ${column}`;

/** What columns of the type `reference` may hold: the values of a column of another table, as they are written there. */
export class ReferenceKeys {
  static readonly NONE = new ReferenceKeys(new Map());

  private constructor(private readonly keys: ReadonlyMap<string, ReadonlyMap<string, string>>) {}

  /** With the rights of the owner of the table, whoever writes to it: a table that the owner does not see any more has no keys. */
  static async read(
    db: DataSource | EntityManager,
    ownerId: number,
    columns: readonly TableColumn[],
  ): Promise<ReferenceKeys> {
    const keys = new Map<string, Map<string, string>>();
    for (const { reference } of columns) {
      if (reference === null || keys.has(nameOf(reference))) continue;
      const rows = await db.query<{ value: unknown }[]>(
        `SELECT r.data -> $3::text AS value FROM extracted_rows r
         WHERE r.table_id = $2 AND r.table_id IN ${visibleTableIds('$1')} ORDER BY r.id`,
        [ownerId, reference.tableId, reference.column],
      );
      const found = new Map<string, string>();
      for (const { value } of rows) {
        const text = typeof value === 'number' ? String(value) : value;
        if (typeof text === 'string' && !found.has(keyOf(text))) found.set(keyOf(text), text);
      }
      keys.set(nameOf(reference), found);
    }
    return new ReferenceKeys(keys);
  }

  /** The key as it is written in the other table; null: there is none like it. */
  find({ reference }: TableColumn, value: string): string | null {
    if (reference === null) return null;
    return this.keys.get(nameOf(reference))?.get(keyOf(value)) ?? null;
  }
}

/**
 * Whether what columns refer to is there, and shown to everybody in `viewers`; which of both it is not is not told.
 * @param own columns of the table itself, which may refer to itself
 * @throws ValidationError
 */
export async function checkReferences(
  db: DataSource | EntityManager,
  viewers: readonly number[],
  columns: readonly TableColumn[],
  own: { tableId: string; columns: readonly TableColumn[] } | null,
): Promise<TableColumn[]> {
  const checked: TableColumn[] = [];
  for (const [index, column] of columns.entries()) {
    const { reference } = column;
    if (reference === null) {
      checked.push(column);
      continue;
    }
    const targets =
      own?.tableId === reference.tableId ? own.columns : await findColumns(db, viewers, reference.tableId);
    if (targets === null)
      throw new ValidationError({ [`columns.${index}.reference.table_id`]: ['There is no such table.'] });
    const target = new ColumnIndex(targets).find(reference.column);
    if (target === null)
      throw new ValidationError({ [`columns.${index}.reference.column`]: ['The table has no such column.'] });
    checked.push({ ...column, reference: { ...reference, column: target.name } });
  }
  return checked;
}

async function findColumns(
  db: DataSource | EntityManager,
  viewers: readonly number[],
  tableId: string,
): Promise<TableColumn[] | null> {
  for (const viewer of viewers) {
    const rows = await db.query<unknown[]>(
      `SELECT FROM extracted_tables t WHERE t.id = $2 AND t.id IN ${visibleTableIds('$1')}`,
      [viewer, tableId],
    );
    if (rows.length === 0) return null;
  }
  const [row] = await db.query<{ columns: TableColumn[] }[]>('SELECT columns FROM extracted_tables WHERE id = $1', [
    tableId,
  ]);
  return row?.columns ?? null;
}

import { cutText, type FieldErrors, isDictionary, wireTypeName } from '@app/common';
import { coerceValue } from '../coercion/coerce-value.js';
import type { CellValue, TableColumn } from '../kit.js';
import { type ColumnIndex, isMachineManaged } from './column-rules.js';
import type { ReferenceKeys } from './reference-keys.js';
import { MAX_CELL_BYTES, MAX_FILENAME, MAX_SOURCE_UID } from './table-limits.js';

/** More is not told: whoever mends a few finds the others. */
const MOST_ERRORS = 50;

/** Values as a person or a program wrote them, by name of column. */
export type GivenValues = Record<string, unknown>;

/** A row that somebody gave, read. */
export interface NewRow {
  /** Null: it has none. */
  sourceUid: string | null;
  filename: string;
  data: Record<string, CellValue>;
}

/** What is wrong with values that were given, by field of the body; it stops looking when there is enough of it. */
export class Complaints {
  readonly fields: FieldErrors = {};
  private count = 0;

  add(field: string, message: string): void {
    if (!Object.hasOwn(this.fields, field)) this.count += 1;
    this.fields[field] ??= [message];
  }

  get isEnough(): boolean {
    return this.count >= MOST_ERRORS;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }
}

/** How values of a table are read: its columns, and the keys of those that they refer to. */
export interface ValueRules {
  columns: ColumnIndex;
  references: ReferenceKeys;
}

/** One value in its column; what is wrong goes to the complaints. */
function readValue(
  { references }: ValueRules,
  column: TableColumn,
  raw: unknown,
  field: string,
  complaints: Complaints,
): CellValue {
  const coerced = coerceValue(column, raw);
  if ('problem' in coerced) {
    complaints.add(field, coerced.message);
    return null;
  }
  const { value } = coerced;
  if (isTooLarge(value)) complaints.add(field, `Ensure this value has no more than ${MAX_CELL_BYTES} bytes.`);
  if (column.outputType !== 'reference' || typeof value !== 'string') return value;
  const key = references.find(column, value);
  if (key === null) complaints.add(field, 'There is no row with this key in the table that the column refers to.');
  return key;
}

export function isTooLarge(value: CellValue): boolean {
  if (typeof value === 'string' && value.length * 3 < MAX_CELL_BYTES) return false;
  if (typeof value !== 'string' && typeof value !== 'object') return false;
  return value !== null && Buffer.byteLength(JSON.stringify(value)) > MAX_CELL_BYTES;
}

/** @param path of the object in the body, such as `data`. @returns by the name that the column has, in the order given */
export function readValues(
  rules: ValueRules,
  given: GivenValues,
  path: string,
  complaints: Complaints,
): Record<string, CellValue> {
  const values = new Map<string, CellValue>();
  for (const [name, raw] of Object.entries(given)) {
    const field = `${path}.${cutText(name, 100)}`;
    const column = rules.columns.find(name);
    if (column === null)
      complaints.add(
        field,
        isMachineManaged(name) ? 'This is kept by the machine and cannot be changed.' : 'The table has no such column.',
      );
    else if (values.has(column.name)) complaints.add(field, `"${column.name}" is given twice.`);
    else values.set(column.name, readValue(rules, column, raw, field, complaints));
    if (complaints.isEnough) break;
  }
  // Not by assignment: a key may mean something to JavaScript.
  return Object.fromEntries(values);
}

/** @param given items of `rows`, already without what cannot be stored */
export function readRows(rules: ValueRules, given: readonly unknown[], complaints: Complaints): NewRow[] {
  const rows: NewRow[] = [];
  for (const [index, row] of given.entries()) {
    const path = `rows.${index}`;
    if (isDictionary(row)) rows.push(readRow(rules, row, path, complaints));
    else complaints.add(path, `Invalid data. Expected a dictionary, but got ${wireTypeName(row)}.`);
    if (complaints.isEnough) break;
  }
  return rows;
}

function readRow(rules: ValueRules, row: Record<string, unknown>, path: string, complaints: Complaints): NewRow {
  const own = (key: string): unknown => (Object.hasOwn(row, key) ? row[key] : undefined);
  const data = own('data') ?? {};
  if (!isDictionary(data))
    complaints.add(`${path}.data`, `Expected a dictionary of items but got type "${wireTypeName(data)}".`);
  return {
    sourceUid: readText(own('source_uid'), MAX_SOURCE_UID, `${path}.source_uid`, complaints),
    filename: readText(own('filename'), MAX_FILENAME, `${path}.filename`, complaints) ?? '',
    data: isDictionary(data) ? readValues(rules, data, `${path}.data`, complaints) : {},
  };
}

function readText(raw: unknown, most: number, field: string, complaints: Complaints): string | null {
  if (raw === undefined || raw === null || raw === '') return null;
  if (typeof raw !== 'string') complaints.add(field, 'Not a valid string.');
  else if (raw.length > 2 * most || [...raw].length > most)
    complaints.add(field, `Ensure this field has no more than ${most} characters.`);
  else return raw;
  return null;
}

import { type FieldErrors, ValidationError } from '@app/common';
import type { TableColumn } from '../kit.js';
import { MAX_COLUMN_NAME, MAX_COLUMNS } from './table-limits.js';

/** Kept by the machine for each row, beside its values. `__proto__` is no key that all JSON parsers keep. */
const MACHINE_MANAGED: readonly string[] = ['processed_at', 'created_at', 'updated_at', 'filename'];
const NEVER: readonly string[] = ['__proto__'];

/** Control characters, dot, dollar, brackets, braces, quotes, backslash, backquote; what no text of a database holds. */
const METACHARACTERS = /[\p{Cc}\p{Cs}.$[\]{}"'\\`]/gu;

/** A name as it is kept. '' when nothing is left of it. */
export function columnName(given: string): string {
  return given
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(METACHARACTERS, '')
    .replace(/ {2,}/g, ' ')
    .trim()
    .normalize('NFC');
}

/** The same for names that differ in case, or in what nobody sees. */
export function columnKey(name: string): string {
  return columnName(name)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase();
}

export function isMachineManaged(name: string): boolean {
  return MACHINE_MANAGED.includes(columnKey(name));
}

/** Spellings that are remembered: bodies with many rows say the same few names again and again. */
const MOST_SPELLINGS = 1_000;

/** Columns by what their names mean; asked with any spelling. */
export class ColumnIndex {
  private readonly byKey: ReadonlyMap<string, TableColumn>;
  private readonly bySpelling = new Map<string, TableColumn | null>();

  constructor(columns: readonly TableColumn[]) {
    this.byKey = new Map(columns.map((column) => [columnKey(column.name), column]));
  }

  find(name: string): TableColumn | null {
    const known = this.bySpelling.get(name);
    if (known !== undefined) return known;
    const found = this.byKey.get(columnKey(name)) ?? null;
    if (this.bySpelling.size < MOST_SPELLINGS) this.bySpelling.set(name, found);
    return found;
  }
}

/**
 * The columns as they are kept, in their order (docs/contract/extracted-tables.md#columns).
 * @throws ValidationError naming each wrong one
 */
export function checkColumns(given: readonly TableColumn[]): TableColumn[] {
  const errors: FieldErrors = {};
  if (given.length === 0) throw new ValidationError({ columns: ['This list may not be empty.'] });
  if (given.length > MAX_COLUMNS)
    throw new ValidationError({ columns: [`Ensure this field has no more than ${MAX_COLUMNS} elements.`] });
  const taken = new Map<string, number>();
  const columns = given.map((column, index): TableColumn => {
    const name = columnName(column.name);
    const key = columnKey(name);
    const first = taken.get(key);
    taken.set(key, first ?? index);
    const wrong = wrongName(name, key, first === undefined ? null : columnName(given[first]!.name));
    if (wrong) errors[`columns.${index}.name`] = [wrong];
    if (column.outputType === 'reference' && column.reference === null)
      errors[`columns.${index}.reference`] = ['This field is required for the output type "reference".'];
    const isReference = column.outputType === 'reference';
    return {
      ...column,
      name,
      reference:
        isReference && column.reference ? { ...column.reference, column: columnName(column.reference.column) } : null,
    };
  });
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return columns;
}

function wrongName(name: string, key: string, same: string | null): string | null {
  if (key === '') return 'This name has no characters that a name may have.';
  if ([...name].length > MAX_COLUMN_NAME) return `Ensure this field has no more than ${MAX_COLUMN_NAME} characters.`;
  if (MACHINE_MANAGED.includes(key)) return `"${name}" is kept by the machine for every row, and cannot be a column.`;
  if (NEVER.includes(key)) return `"${name}" cannot be the name of a column.`;
  if (same !== null) return `"${name}" and "${same}" are the same name.`;
  return null;
}

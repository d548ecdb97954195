import type { DescribedColumn } from './described.js';
import type { RowType } from './row-types.js';
import type { SchemaTypes } from './schema-types.js';

/** What a declared row says that the statement does not hold. A column that nobody declared harms nobody. */
export function differences(row: RowType, columns: readonly DescribedColumn[], types: SchemaTypes): string[] {
  const found: string[] = [];
  const byName = new Map(columns.map((column) => [column.name, column]));
  for (const [name, { kinds, isNullable, isOptional = false }] of row) {
    const column = byName.get(name);
    if (column === undefined) {
      if (!isOptional) found.push(`${name} is no column`);
      continue;
    }
    const kind = types.kindOf(column.typeId);
    if (kinds !== null && kind !== undefined && !kinds.has(kind))
      found.push(`${name} is ${kind}, not ${[...kinds].join(' | ')}`);
    if (!isNullable && kinds !== null && types.mayBeNull(column.tableId, column.columnId))
      found.push(`${name} may be null`);
  }
  return found;
}

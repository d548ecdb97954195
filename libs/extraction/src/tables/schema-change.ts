import type { TableColumn } from '../kit.js';
import { columnKey } from './column-rules.js';

/** What another list of columns makes of a table. */
export interface SchemaChange {
  added: string[];
  removed: string[];
  /** Former name, by the new one: only their spelling differs. */
  renamed: Map<string, string>;
  /** Columns that are kept, and read their values in another way. */
  retyped: TableColumn[];
}

export function compareSchemas(before: readonly TableColumn[], after: readonly TableColumn[]): SchemaChange {
  const former = new Map(before.map((column) => [columnKey(column.name), column]));
  const change: SchemaChange = { added: [], removed: [], renamed: new Map(), retyped: [] };
  for (const column of after) {
    const old = former.get(columnKey(column.name));
    former.delete(columnKey(column.name));
    if (!old) {
      change.added.push(column.name);
      continue;
    }
    if (old.name !== column.name) change.renamed.set(column.name, old.name);
    if (old.outputType !== column.outputType || old.format !== column.format) change.retyped.push(column);
  }
  change.removed = [...former.values()].map(({ name }) => name);
  return change;
}

/** Whether stored rows have to be written anew for it. */
export function changesRows({ removed, renamed, retyped }: SchemaChange): boolean {
  return removed.length > 0 || renamed.size > 0 || retyped.length > 0;
}

/** For whoever made the change; null: nothing was lost by it. */
export function warningOf({ removed, retyped }: SchemaChange, rows: number, unread: number): string | null {
  const sentences: string[] = [];
  if (rows > 0 && removed.length > 0)
    sentences.push(`The values of ${removed.map((name) => `"${name}"`).join(', ')} were deleted from ${rows} rows.`);
  if (unread > 0)
    sentences.push(
      `${unread} values of ${retyped.map(({ name }) => `"${name}"`).join(', ')} cannot be read in their new type, and were kept as they are.`,
    );
  return sentences.length === 0 ? null : sentences.join(' ');
}

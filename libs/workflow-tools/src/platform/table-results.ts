import { param, type TableResult, type TablesPort, ToolError, type ToolPorts } from '@app/workflow-definition';
import { z } from 'zod';

const UNAVAILABLE = 'There is no database search.';

export const fileUidsParam = param(z.array(z.string().min(1).max(100)).min(1).max(5), {
  label: 'Files',
  type: 'table',
  description: 'Up to 5 imported files, by their uids.',
});

export const resultSchema = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  count: z.int(),
  truncated: z.boolean(),
});

export function tablesUnavailable({ tables }: { readonly tables?: unknown }): string | null {
  return tables ? null : UNAVAILABLE;
}

export function requireTables({ tables }: ToolPorts): TablesPort {
  if (!tables) throw new ToolError('tables_not_configured', UNAVAILABLE, false);
  return tables;
}

/** Rows as objects, which is what the other nodes work on; the second column of a name gets a number. */
export function toResultOutput({ columns, rows, truncated }: TableResult): z.output<typeof resultSchema> {
  const taken = new Set<string>();
  const named = columns.map(({ name, type }) => {
    let own = name;
    for (let at = 2; taken.has(own); at += 1) own = `${name}_${at}`;
    taken.add(own);
    return { name: own, type };
  });
  const items = rows.map((row) => Object.fromEntries(named.map(({ name }, index) => [name, row[index] ?? null])));
  return { items, columns: named, count: items.length, truncated };
}

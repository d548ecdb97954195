/** Which columns of a table people get in a copy of their data, and which they do not, each for a reason. */
export interface ExportedColumns {
  readonly table: string;
  readonly exported: readonly string[];
  /** Why, by column. */
  readonly withheld: Readonly<Record<string, string>>;
}

/**
 * SQL: a JSON object of the row `alias` with what is exported of it. A new column is not until somebody says so.
 * @param type `json` where its columns of JSON have an order of members to keep
 */
export function exportedRow({ exported }: ExportedColumns, alias: string, type: 'json' | 'jsonb' = 'jsonb'): string {
  return `${type}_build_object(${exported.map((column) => `'${column}', ${alias}.${column}`).join(', ')})`;
}

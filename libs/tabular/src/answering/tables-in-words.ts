import type { OpenTabularDatabase } from '../databases/tabular-databases.js';
import type { QueryRunner } from '../query/query-runner.js';
import { toAskedTables } from './asked-table.js';
import { schemaText } from './schema-text.js';
import { profileTables } from './table-profile.js';

/**
 * What stands in table files, as models are told of it: tables, columns, values and first rows. All of it was written by
 * others. @param databases up to 5, opened by the asker, and released afterwards. @throws as `QueryRunner.run`
 */
export async function tablesInWords(
  runner: QueryRunner,
  { asker, databases, signal }: { asker: string; databases: readonly OpenTabularDatabase[]; signal: AbortSignal },
): Promise<string> {
  const { tables, files } = toAskedTables(databases);
  await profileTables(runner, { asker, files, signal }, tables);
  return schemaText(tables);
}

import { schemaText } from './schema-text.js';
import type { ProfileOrder, TableProfiles } from './table-profiles.js';

/**
 * What stands in table files, as models are told of it: tables, columns, values and first rows. All of it was written by
 * others. @param databases up to 5, opened by the asker, and released afterwards. @throws as `QueryRunner.run`
 */
export async function tablesInWords(profiles: TableProfiles, order: ProfileOrder): Promise<string> {
  const { tables } = await profiles.look(order);
  return schemaText(tables);
}

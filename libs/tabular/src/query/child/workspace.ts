import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { LoadedColumn, QueriedFile } from '../query-messages.js';
import { quoteName, quoteText } from './parse-statement.js';

/**
 * An empty database in memory that shows the files' tables as views, then closed to everything else: no files, no
 * extensions, no settings, nothing spilled to disk.
 */
export async function openWorkspace(files: readonly QueriedFile[], memoryMb: number): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${memoryMb}MB`,
    temp_directory: '',
    max_temp_directory_size: '0KB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_unsigned_extensions: 'false',
    allow_persistent_secrets: 'false',
  });
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  for (const [at, { path, tables, columns }] of files.entries()) {
    if (columns) {
      await connection.run(loading(path, tables[0]!.alias, columns));
      continue;
    }
    await connection.run(`ATTACH ${quoteText(path)} AS ${fileAlias(at)} (READ_ONLY)`);
    for (const { name, alias } of tables)
      await connection.run(`CREATE VIEW ${quoteName(alias)} AS FROM ${fileAlias(at)}.main.${quoteName(name)}`);
  }
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return connection;
}

/** The longest row of a table: 200 values of 64 KB, escaped. */
const LONGEST_LINE = 64 * 1024 * 1024;
const TYPES: Record<LoadedColumn['type'], string> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
};

function loading(path: string, alias: string, columns: readonly LoadedColumn[]): string {
  const types = columns.map(({ name, type }) => `${quoteText(name)}: '${TYPES[type]}'`).join(', ');
  return `CREATE TABLE ${quoteName(alias)} AS FROM read_json(${quoteText(path)}, format = 'newline_delimited',
    columns = {${types}}, maximum_object_size = ${LONGEST_LINE})`;
}

/** Never named by a statement of ours or of others outside the views, and refused by the check. */
export function fileAlias(at: number): string {
  return `file_${at}`;
}

import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { LoadedColumn, QueriedFile } from '../query-messages.js';
import { quoteName, quoteText } from './parse-statement.js';

/**
 * An empty database in memory that shows the files' tables as views, then closed to everything else: no files, no
 * extensions, no settings, nothing spilled to disk.
 */
export async function openWorkspace(files: readonly QueriedFile[], memoryMb: number): Promise<DuckDBConnection> {
  const connection = await connect(await openEmpty(memoryMb));
  for (const [at, { path, tables, columns }] of files.entries()) {
    if (columns) {
      await connection.run(loading(path, tables[0]!.alias, columns));
      continue;
    }
    await connection.run(`ATTACH ${quoteText(path)} AS ${fileAlias(at)} (READ_ONLY)`);
    for (const { name, alias } of tables)
      await connection.run(`CREATE VIEW ${quoteName(alias)} AS FROM ${fileAlias(at)}.main.${quoteName(name)}`);
  }
  await close(connection);
  return connection;
}

/** What statements of a scope run on; or why its files cannot be opened. */
export type OpenScope = { connection: DuckDBConnection; tables: ReadonlySet<string> } | { unopened: unknown };

/**
 * The same for several sets of files. Each has a connection of its own, to which its views belong (`TEMP`): a name means
 * the table of its own file, and those of others have no name there, whatever they are called.
 */
export async function openScopes(scopes: readonly (readonly QueriedFile[])[], memoryMb: number): Promise<OpenScope[]> {
  const instance = await openEmpty(memoryMb);
  const own = await connect(instance);
  const attached = new Map<string, string>();
  const opened: OpenScope[] = [];
  for (const files of scopes) {
    const connection = await connect(instance);
    try {
      for (const { path, tables, columns } of files) {
        const alias = attached.get(path) ?? fileAlias(attached.size);
        if (!attached.has(path))
          await own.run(columns ? loading(path, alias, columns) : `ATTACH ${quoteText(path)} AS ${alias} (READ_ONLY)`);
        attached.set(path, alias);
        for (const table of tables) {
          const source = columns ? `memory.main.${alias}` : `${alias}.main.${quoteName(table.name)}`;
          await connection.run(`CREATE TEMP VIEW ${quoteName(table.alias)} AS FROM ${source}`);
        }
      }
      const aliases = files.flatMap(({ tables }) => tables.map(({ alias }) => alias.toLowerCase()));
      opened.push({ connection, tables: new Set(aliases) });
    } catch (error) {
      opened.push({ unopened: error });
    }
  }
  await close(own);
  return opened;
}

function openEmpty(memoryMb: number): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
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
}

async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  return connection;
}

/** For all connections. */
async function close(connection: DuckDBConnection): Promise<void> {
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
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

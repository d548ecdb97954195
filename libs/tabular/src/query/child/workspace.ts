import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { QueriedFile } from '../query-messages.js';
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
  for (const [at, { path, tables }] of files.entries()) {
    await connection.run(`ATTACH ${quoteText(path)} AS ${fileAlias(at)} (READ_ONLY)`);
    for (const { name, alias } of tables)
      await connection.run(`CREATE VIEW ${quoteName(alias)} AS FROM ${fileAlias(at)}.main.${quoteName(name)}`);
  }
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return connection;
}

/** Never named by a statement of ours or of others outside the views, and refused by the check. */
export function fileAlias(at: number): string {
  return `file_${at}`;
}

import type { QueryRunner } from 'typeorm';

/** Written anew within some seconds, for which those at work wait. */
const SMALL_BYTES = 256 * 1024 * 1024;

/**
 * A column of another type is a table that is written anew, while nobody can use it. A large one stays as it is, with which
 * the release must work as well, until an operator has a quiet hour for it (docs/operations/upgrade.md).
 * @param smallBytes that far a table is small
 */
export async function changeTypeWhereSmall(
  runner: QueryRunner,
  table: string,
  column: string,
  type: string,
  smallBytes = SMALL_BYTES,
): Promise<void> {
  const [{ bytes }] = (await runner.query('SELECT pg_table_size($1::regclass) AS bytes', [table])) as [
    { bytes: string },
  ];
  if (Number(bytes) > smallBytes) return;
  await runner.query(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${type} USING ${column}::text::${type}`);
}

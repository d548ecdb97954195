import { POSTGRES_SYSTEM } from '../schema/postgres-schema.js';
import type { ReadSession } from '../sessions/read-session.js';
import type { SourceCell } from '../shapes/result-shapes.js';
import type { DatabaseType } from '../shapes/source-shapes.js';

const SUPERUSER =
  'The user is an administrator of the database. Connect as a user that may read what is needed, and nothing else.';
const WRITES = 'The user may change data. Queries run in read-only transactions; a user that may only read is safer.';
const FILES = 'The user may read or write files of the server, or run programs there. Connect as another user.';

const POSTGRES = `SELECT pg_catalog.current_setting('server_version'), r.rolsuper OR r.rolcreaterole,
    EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'f') AND ${POSTGRES_SYSTEM}
        AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
    EXISTS (SELECT FROM pg_catalog.pg_roles g WHERE g.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
      AND pg_catalog.pg_has_role(g.oid, 'MEMBER'))
  FROM pg_catalog.pg_roles r WHERE r.rolname = current_user`;

/** Of an administrator the rights of everybody are shown. */
const OWN = `GRANTEE = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')`;
const WRITING = `PRIVILEGE_TYPE IN ('INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'ALTER', 'EXECUTE')`;
const MYSQL = `SELECT VERSION(),
    EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE ${OWN} AND PRIVILEGE_TYPE IN ('SUPER', 'CREATE USER', 'SYSTEM_USER')),
    EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE ${OWN} AND ${WRITING})
      OR EXISTS (SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES WHERE ${OWN} AND ${WRITING})
      OR EXISTS (SELECT 1 FROM information_schema.TABLE_PRIVILEGES WHERE ${OWN} AND ${WRITING}),
    EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE ${OWN} AND PRIVILEGE_TYPE = 'FILE')`;

export interface FoundRights {
  version: string;
  /** In words: what the user may do beyond reading. */
  warnings: string[];
}

/** What a read-only transaction does not keep a user from. @throws SourceFailure; the signal's reason */
export async function readRights(session: ReadSession, type: DatabaseType): Promise<FoundRights> {
  const { rows } = await session.read({ text: type === 'postgres' ? POSTGRES : MYSQL, values: [] });
  const [version, isAdministrator, writes, files] = rows[0] ?? [];
  return {
    version: `${type === 'postgres' ? 'PostgreSQL ' : ''}${String(version ?? '')}`.slice(0, 100),
    warnings: [
      ...(isTrue(isAdministrator) ? [SUPERUSER] : []),
      ...(isTrue(writes) ? [WRITES] : []),
      ...(isTrue(files) ? [FILES] : []),
    ],
  };
}

function isTrue(cell: SourceCell | undefined): boolean {
  return cell === true || cell === 1;
}

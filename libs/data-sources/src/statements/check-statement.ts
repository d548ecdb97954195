import { SourceFailure } from '../shapes/source-failure.js';
import type { DatabaseType } from '../shapes/source-shapes.js';
import { type SqlToken, tokenize } from './sql-tokens.js';

const CHARACTERS = 50_000;
const SELECT_ONLY = 'Only a single SELECT statement may run.';
/** At the beginning of a statement within another; as names they are followed by something else. */
const WRITES: Readonly<Record<string, RegExp>> = {
  insert: /^(into|ignore|low_priority|delayed|high_priority)$/,
  update: /./,
  delete: /^(from|ignore|quick|low_priority)$/,
  merge: /^into$/,
  replace: /^(into|low_priority|delayed)$/,
};

/**
 * What a read-only transaction does not stop: files and programs of the server, other connections and sessions, statements
 * in texts, waiting. No wall (a role that may not do these things is one), but nobody does them by mistake.
 */
const FUNCTIONS: Record<DatabaseType, RegExp> = {
  postgres:
    /^(pg_(read|ls|stat)_\w*(file|dir|files)\w*|pg_read_\w+|pg_ls_\w+|pg_file_\w+|lo_\w+|dblink\w*|pg_(terminate|cancel)_backend|pg_(reload_conf|rotate_logfile\w*|promote|switch_wal|notify|export_snapshot|log_\w+|logical_\w+|replication_\w+|create_\w+|drop_\w+|copy_\w+|backup_\w+|wal_replay_\w+)|pg_(try_)?advisory_\w+|pg_sleep\w*|set_config|nextval|setval|(query|table|schema|database|cursor)_to_xml\w*|plpy\w*)$/,
  mysql:
    /^(load_file|sleep|benchmark|get_lock|release_lock|release_all_locks|is_free_lock|master_(gtid|pos)_wait|source_pos_wait|wait_for_executed_gtid_set|wait_until_sql_thread_after_gtids|sys_\w+|lib_mysqludf\w*|nextval|setval|lastval|name_const|xmltype_exec)$/,
};

const refused = (message: string) => new SourceFailure('query_refused', message);

/**
 * The pieces of a single SELECT, without a semicolon at its end.
 * @throws SourceFailure (`query_refused`) in words for whoever wrote it
 */
export function checkStatement(sql: string, dialect: DatabaseType): SqlToken[] {
  if (sql.length > CHARACTERS) throw refused(`A statement has at most ${CHARACTERS} characters.`);
  if (!sql.isWellFormed()) throw refused('A statement has no half characters.');
  const tokens = tokenize(sql, dialect);
  while (isEnd(tokens.at(-1))) tokens.pop();
  const told = tokens.filter(({ kind }) => kind !== 'space');
  if (told.length === 0) throw refused('There is no statement.');
  const first = told.find(({ text }) => text !== '(');
  if (first?.kind !== 'word' || !/^(select|with)$/.test(first.named)) throw refused(SELECT_ONLY);
  told.forEach((token, at) => checkToken(token, told[at - 1], told[at + 1], dialect));
  return tokens;
}

function isEnd(token: SqlToken | undefined): boolean {
  return token !== undefined && (token.kind === 'space' || token.text === ';');
}

function checkToken(
  token: SqlToken,
  before: SqlToken | undefined,
  after: SqlToken | undefined,
  dialect: DatabaseType,
): void {
  const { kind, text, named } = token;
  if (kind === 'symbol' && text === ';') throw refused(SELECT_ONLY);
  if (after?.text === '(' && (kind === 'word' || kind === 'name') && FUNCTIONS[dialect].test(named))
    throw refused(`The function ${named} may not be used here.`);
  if (kind !== 'word') return;
  if (named === 'into' && before?.text !== '.' && after?.text !== '.')
    throw refused('A SELECT that writes its rows (INTO) may not run.');
  const begins = before?.text === '(' || before?.text === ')';
  if (begins && after !== undefined && after.named !== '' && WRITES[named]?.test(after.named))
    throw refused('Statements that change data may not run, within others neither.');
  if (dialect === 'mysql') checkLocks(named, before, after);
}

/** MySQL takes locks in a transaction that only reads. */
function checkLocks(named: string, before: SqlToken | undefined, after: SqlToken | undefined): void {
  const locks =
    (before?.named === 'for' && /^(update|share)$/.test(named)) || (named === 'lock' && after?.named === 'in');
  if (locks) throw refused('A SELECT that locks rows may not run.');
  if (named === 'procedure' && after?.named === 'analyse') throw refused(SELECT_ONLY);
}

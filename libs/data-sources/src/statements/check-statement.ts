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

const oneOf = (names: string): RegExp => new RegExp(`^(${names.trim().split(/\s+/).join('|')})$`);

/**
 * What a read-only transaction does not stop: files and programs of the server, other connections and sessions, statements
 * in texts, waiting. No wall (a role that may not do these things is one), but nobody does them by mistake.
 */
const FUNCTIONS: Record<DatabaseType, RegExp> = {
  // Gone through by pg_proc: of those of the server, all that are volatile and no mere look.
  postgres: oneOf(`
    pg_(read|ls|stat)_\\w*(file|dir|files)\\w* pg_read_\\w+ pg_ls_\\w+ pg_file_\\w+ pg_logdir_ls
    lo_(close|creat|create|export|from_bytea|get|import|lseek|lseek64|manage|open|put|tell|tell64|truncate|truncate64|unlink) loread lowrite
    pg_(terminate|cancel)_backend pg_(try_)?advisory_\\w+ pg_sleep\\w* set_config nextval setval
    pg_(reload_conf|rotate_logfile\\w*|promote|switch_(wal|xlog)|notify|export_snapshot|nextoid|stop_making_pinned_objects)
    pg_(log|logical|replication|create|drop|copy|backup|wal_replay|xlog_replay|import|restore|clear|set|sync|stat_reset)_\\w+
    pg_(start|stop)_backup pg_stat_(reset|statements_reset|clear_snapshot|force_next_flush) pg_prewarm pg_buffercache_evict\\w*
    binary_upgrade_\\w+ brin_(de)?summarize_\\w+ gin_clean_pending_list
    postgres_fdw_disconnect(_all)? pg_background_launch query_export_to_s3 table_import_from_s3 http_(get|post|put|patch|delete|head)
    (query|table|schema|database|cursor)_to_xml\\w* ts_stat ts_rewrite crosstab\\w* connectby xpath_table plpy\\w*
    dblink(_(connect|connect_u|disconnect|exec|open|fetch|close|send_query|is_busy|cancel_query|current_query|error_message|get_\\w+|build_\\w+|fdw_\\w+))?`),
  mysql: oneOf(`
    load_file sleep benchmark get_lock release_lock release_all_locks is_free_lock master_(gtid|pos)_wait source_pos_wait
    wait_for_executed_gtid_set wait_until_sql_thread_after_gtids sys_\\w+ lib_mysqludf\\w* nextval setval lastval name_const
    xmltype_exec spider_(direct_sql|bg_direct_sql|copy_tables|flush_table_mon_cache) group_replication_\\w+ keyring_key_\\w+
    asynchronous_connection_failover_\\w+ audit_log_\\w+ version_tokens_\\w+ service_(get|release)_\\w+`),
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
  if (isCalled(token, before, after, dialect) && FUNCTIONS[dialect].test(named))
    throw refused(`The function ${named} may not be used here.`);
  if (kind !== 'word') return;
  if (named === 'into' && before?.text !== '.' && after?.text !== '.')
    throw refused('A SELECT that writes its rows (INTO) may not run.');
  const begins = before?.text === '(' || before?.text === ')';
  if (begins && after !== undefined && after.named !== '' && WRITES[named]?.test(after.named))
    throw refused('Statements that change data may not run, within others neither.');
  if (dialect === 'mysql') checkLocks(named, before, after);
}

/** Postgres calls "(value).function", too. */
function isCalled(
  { kind }: SqlToken,
  before: SqlToken | undefined,
  after: SqlToken | undefined,
  dialect: DatabaseType,
): boolean {
  if (kind !== 'word' && kind !== 'name') return false;
  return after?.text === '(' || (dialect === 'postgres' && before?.text === '.');
}

/** MySQL takes locks in a transaction that only reads. */
function checkLocks(named: string, before: SqlToken | undefined, after: SqlToken | undefined): void {
  const locks =
    (before?.named === 'for' && /^(update|share)$/.test(named)) || (named === 'lock' && after?.named === 'in');
  if (locks) throw refused('A SELECT that locks rows may not run.');
  if (named === 'procedure' && after?.named === 'analyse') throw refused(SELECT_ONLY);
}

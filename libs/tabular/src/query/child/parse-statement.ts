import { StatementType, type DuckDBConnection, type DuckDBPreparedStatement } from '@duckdb/node-api';
import { checkParameters } from './parameter-guard.js';
import { checkTree, isNode, RefusedStatement, type SyntaxNode } from './sql-guard.js';

const SELECT_ONLY = 'Only a single SELECT statement may run.';

/** A statement that may run. */
export interface CheckedStatement {
  tree: SyntaxNode;
  prepared: DuckDBPreparedStatement;
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();

/**
 * Checks a statement, parsed by the connection that runs it.
 * @param tables in lower case
 * @param parameters in lower case, which the statement may name as `$name`
 * @throws RefusedStatement
 */
export async function parseStatement(
  connection: DuckDBConnection,
  sql: string,
  tables: ReadonlySet<string>,
  parameters: ReadonlySet<string> = NO_PARAMETERS,
): Promise<CheckedStatement> {
  if (sql.includes('\0')) throw new RefusedStatement('A statement has no null characters.');
  const statement = await onlyStatement(connection, sql);
  const node = statement['node'];
  if (!isNode(node)) throw new RefusedStatement(SELECT_ONLY);
  checkParameters(node, parameters);
  checkTree(node, tables);
  // Only now: preparing binds, and binding calls table functions.
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw new RefusedStatement(SELECT_ONLY);
  const prepared = await statements.prepare(0);
  if (prepared.statementType !== StatementType.SELECT) throw new RefusedStatement(SELECT_ONLY);
  return { tree: statement, prepared };
}

async function onlyStatement(connection: DuckDBConnection, sql: string): Promise<SyntaxNode> {
  // It takes no parameter.
  const reader = await connection.runAndReadAll(`SELECT json_serialize_sql(${quoteText(sql)})`);
  const tree = JSON.parse(String(reader.getRows()[0]?.[0])) as unknown;
  if (!isNode(tree)) throw new RefusedStatement(SELECT_ONLY);
  if (tree['error'] === true) {
    const parsing = tree['error_type'] === 'parser';
    throw new RefusedStatement(parsing ? `Syntax error: ${String(tree['error_message'])}` : SELECT_ONLY);
  }
  const statements = Array.isArray(tree['statements']) ? (tree['statements'] as unknown[]) : [];
  const [statement] = statements;
  if (statements.length !== 1 || !isNode(statement)) throw new RefusedStatement(SELECT_ONLY);
  return statement;
}

/** As a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** As a name of SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

import ts from 'typescript';
import { fold, type Piece } from './folding.js';
import { relationsOf, type Relation } from './relations.js';
import { Sources } from './sources.js';

/** That the words of a file name a table (or call a function of the database). */
export interface Naming {
  readonly file: string;
  readonly name: string;
  readonly kind: Relation['kind'];
}

export interface Statement {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Whether every part of it could be read without running the program. */
  readonly isWhole: boolean;
  readonly node: ts.Expression;
}

export interface Reading {
  readonly statements: readonly Statement[];
  readonly namings: readonly Naming[];
  /** `file: expression` of the tables that only the running program knows. */
  readonly unnamed: readonly string[];
  /** `file: beginning` of texts that begin like a statement and are none, whatever stands in their gaps. */
  readonly unread: readonly string[];
}

export const BEGINS =
  /^\s*(?:--[^\n]*\n\s*|\/\* kept \*\/ )*(?:WITH (?:RECURSIVE )?(?:\w+|$)|SELECT\b|INSERT INTO\b|UPDATE \S|DELETE FROM\b|LOCK TABLE\b|TRUNCATE\b|MERGE INTO\b|CALL \w|COPY \w|EXPLAIN\b)/;
const NAMES = /\b(?:DELETE FROM|FROM|JOIN|INTO|UPDATE|LOCK TABLE|TRUNCATE|USING)\s+(?:ONLY\s+)?"?([a-z_]+)"?/g;
/** Statements of these are for DuckDB, in a process that has no connection to Postgres; databases of users, or readers of the documentation. */
export const OTHER_DATABASES = [
  'apps/api/src/openapi/',
  'apps/indexer/src/tabular/child/',
  'libs/tabular/src/query/child/',
  'libs/tabular/src/answering/',
  'libs/integrations/src/sources/sql/',
  'libs/workflow-tools/src/platform/publish-artifact.tool.ts',
  'libs/data-sources/src/sessions/',
  'libs/data-sources/src/schema/',
  'libs/data-sources/src/probe/',
];
const GAP = /^gap_\d+$/;

/** Reads every statement of the apps and libs. The parser has to be loaded. */
export function readStatements(
  tables: ReadonlySet<string>,
  functions: ReadonlySet<string>,
  sources = new Sources(),
): Reading {
  const statements: Statement[] = [];
  const namings = new Map<string, Naming>();
  const unnamed = new Set<string>();
  const unread = new Set<string>();
  const name = (file: string, table: string, kind: Relation['kind']): void => {
    if (kind === 'call' ? functions.has(table) : tables.has(table))
      namings.set(`${file} ${table} ${kind}`, { file, name: table, kind });
  };
  for (const file of sources.files) {
    if (OTHER_DATABASES.some((folder) => file.startsWith(folder))) continue;
    const literals: ts.Expression[] = [];
    const understood = new Set<ts.Node>();
    visit(sources.parse(file), literals, (table) => name(file, table, 'write'));
    for (const literal of literals) {
      if (!BEGINS.test(headOf(literal))) continue;
      for (const pieces of fold(literal, { file, bound: new Map() }, sources)) {
        const filled = fill(pieces);
        const place = `${file}: ${headOf(literal).trim().split(/\s+/).slice(0, 4).join(' ')}`;
        if (filled === undefined) {
          unread.add(place);
          continue;
        }
        const line = sources.parse(file).getLineAndCharacterOfPosition(literal.getStart()).line + 1;
        statements.push({ file, line, text: filled.text, isWhole: filled.isWhole, node: literal });
        for (const found of filled.relations) {
          const from = filled.pieceAt(found.at);
          if (GAP.test(found.name) && found.kind !== 'call')
            unnamed.add(`${file}: ${filled.holes[Number(found.name.slice(4))]}`);
          else if (from !== undefined) name(from, found.name, found.kind);
        }
        understood.add(literal);
        for (const piece of pieces) if ('literal' in piece) understood.add(piece.literal);
      }
    }
    const isUnnamed = [...unnamed].some((one) => one.startsWith(`${file}: `));
    if (isUnnamed)
      for (const [, key = ''] of sources.parse(file).text.matchAll(/[{,]\s*(\w+):/g)) name(file, key, 'write');
    // Parts of statements: what they name counts where it is written.
    for (const literal of literals) {
      if (understood.has(literal)) continue;
      for (const [verb, table = ''] of literal.getText().matchAll(NAMES))
        name(file, table, /^(?:INTO|UPDATE|LOCK|TRUNCATE|DELETE)/.test(verb) ? 'write' : 'read');
      const alone = ts.isStringLiteralLike(literal) ? literal.text : '';
      // A list of tables beside a statement that is made for each of them.
      if (isUnnamed) name(file, alone, 'write');
      if (ts.isPropertyAssignment(literal.parent) && literal.parent.name.getText() === 'from')
        name(file, /^\w*/.exec(alone)![0], 'read');
    }
  }
  return { statements, namings: [...namings.values()], unnamed: [...unnamed].sort(), unread: [...unread].sort() };
}

function visit(node: ts.Node, literals: ts.Expression[], works: (table: string) => void): void {
  if (
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isDecorator(node) ||
    ts.isLiteralTypeNode(node)
  )
    return;
  if (isSum(node)) {
    literals.push(node);
    return;
  }
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) literals.push(node);
  if (ts.isCallExpression(node) && node.expression.getText() === 'defineWork') {
    const declared = node.arguments[0];
    if (declared !== undefined && ts.isObjectLiteralExpression(declared))
      for (const member of declared.properties)
        if (
          ts.isPropertyAssignment(member) &&
          member.name.getText() === 'table' &&
          ts.isStringLiteralLike(member.initializer)
        )
          works(member.initializer.text);
  }
  ts.forEachChild(node, (child) => {
    visit(child, literals, works);
  });
}

/** Texts put together by `+`, to be read as one. */
function isSum(node: ts.Node): node is ts.BinaryExpression {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return false;
  return [node.left, node.right].some(
    (one) => ts.isStringLiteralLike(one) || ts.isTemplateExpression(one) || isSum(one),
  );
}

function headOf(literal: ts.Expression): string {
  if (ts.isBinaryExpression(literal)) return headOf(literal.left);
  if (ts.isTemplateExpression(literal)) return `${literal.head.text}gap${literal.templateSpans[0]?.literal.text ?? ''}`;
  return ts.isStringLiteralLike(literal) ? literal.text : '';
}

interface Filled {
  text: string;
  relations: Relation[];
  isWhole: boolean;
  holes: string[];
  pieceAt: (at: number) => string | undefined;
}

/** What may stand in a gap: first what its neighbours suggest. */
const FILLINGS = [
  (at: number) => `gap_${at}`,
  () => '',
  () => ' 1 ',
  () => ' AND true ',
  (at: number) => ` , gap_${at} `,
  () => ' true ',
  () => ' WHERE true ',
  () => ' modified = 1 ',
  (at: number) => ` = gap_${at} `,
  (at: number) => ` FROM gap_${at} `,
  (at: number) => ` gap_${at} AS (SELECT 1) `,
  () => ' SELECT 1 ',
  () => ' LIMIT 1 ',
  () => ' (1) ',
  () => ' CROSS JOIN gap_x ',
];

function fill(pieces: readonly Piece[]): Filled | undefined {
  const holes = pieces.flatMap((piece) => ('hole' in piece ? [piece.hole] : []));
  const attempt = (fillings: readonly number[]): Filled | undefined => {
    const starts: { from: number; file: string }[] = [];
    let text = '';
    let hole = 0;
    for (const piece of pieces) {
      if ('literal' in piece) {
        starts.push({ from: text.length, file: piece.file });
        text += piece.text;
      } else {
        text += FILLINGS[fillings[hole] ?? 0]!(hole);
        hole += 1;
      }
    }
    const relations =
      relationsOf(text) ?? (/\b(?:WHERE|AND|ON)\s*$/.test(text) ? relationsOf(`${text} true`) : undefined);
    const pieceAt = (at: number): string | undefined => starts.findLast(({ from }) => from <= at)?.file;
    return relations && { text, relations, isWhole: holes.length === 0, holes, pieceAt };
  };
  for (const fillings of nearlyAlike(holes.length)) {
    const filled = attempt(fillings);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/** All alike, then one or two that differ. */
function* nearlyAlike(count: number): Generator<number[]> {
  for (const all of FILLINGS.keys()) {
    yield Array.from({ length: count }, () => all);
    for (let first = 0; first < count; first += 1)
      for (const other of FILLINGS.keys()) yield Array.from({ length: count }, (_, at) => (at === first ? other : all));
  }
  for (let first = 0; first < count; first += 1)
    for (let second = first + 1; second < count; second += 1)
      for (const a of FILLINGS.keys())
        for (const b of FILLINGS.keys())
          yield Array.from({ length: count }, (_, at) => (at === first ? a : at === second ? b : 0));
}

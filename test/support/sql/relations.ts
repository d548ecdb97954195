import { loadModule, parseSync } from 'libpg-query';

export { loadModule as loadParser };

/** A relation or a function that a statement names, and where its name begins in the text. */
export interface Relation {
  readonly name: string;
  readonly kind: 'read' | 'write' | 'call';
  readonly at: number;
}

type Tree = { readonly [key: string]: unknown };

const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

/** What the grammar of Postgres finds in a text; undefined where it is no statement. Common table expressions are no relations. */
export function relationsOf(text: string): Relation[] | undefined {
  let tree: unknown;
  try {
    tree = parseSync(text);
  } catch {
    return undefined;
  }
  const found: Relation[] = [];
  walk(tree, new Set(), found);
  // The parser counts bytes.
  if (Buffer.byteLength(text) === text.length) return found;
  const bytes = Buffer.from(text);
  return found.map((one) => ({ ...one, at: bytes.subarray(0, one.at).toString().length }));
}

function walk(node: unknown, outer: ReadonlySet<string>, found: Relation[]): void {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, outer, found);
    return;
  }
  if (!isTree(node)) return;
  for (const [key, value] of Object.entries(node)) {
    if (!isTree(value)) {
      walk(value, outer, found);
      continue;
    }
    const named = new Set([...outer, ...expressionNames(value)]);
    if (key === 'RangeVar') add(found, value, 'read', named);
    else if (key === 'FuncCall') {
      const name = last(value['funcname']);
      if (name !== undefined) found.push({ name, kind: 'call', at: Number(value['location'] ?? 0) });
      walk(value, named, found);
    } else if (WRITES.has(key)) {
      const { relation, ...rest } = value;
      // Its own name is no reading of an expression: one cannot write to those.
      if (isTree(relation)) add(found, relation, 'write', new Set());
      walk(rest, named, found);
    } else if (key === 'LockStmt' || key === 'TruncateStmt') {
      for (const one of (value['relations'] as Tree[] | undefined) ?? [])
        if (isTree(one['RangeVar'])) add(found, one['RangeVar'], 'write', new Set());
    } else walk(value, named, found);
  }
}

function add(found: Relation[], range: Tree, kind: 'read' | 'write', expressions: ReadonlySet<string>): void {
  const name = String(range['relname']);
  const schema = range['schemaname'] === undefined ? '' : `${String(range['schemaname'])}.`;
  if (schema === '' && expressions.has(name)) return;
  found.push({ name: schema === 'public.' ? name : schema + name, kind, at: Number(range['location'] ?? 0) });
}

function expressionNames(node: Tree): string[] {
  const clause = node['withClause'];
  const all = isTree(clause) ? ((clause['ctes'] as Tree[] | undefined) ?? []) : [];
  return all.map((one) => String((one['CommonTableExpr'] as Tree)['ctename']));
}

function last(names: unknown): string | undefined {
  const one: unknown = Array.isArray(names) ? names.at(-1) : undefined;
  const text = isTree(one) ? one['String'] : undefined;
  return isTree(text) ? String(text['sval']) : undefined;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { isNode, RefusedStatement, type SyntaxNode } from './sql-guard.js';

/** All that they are given but the first chooses a column, which a value must not. */
const CHOOSING_FUNCTIONS = new Set(['struct_extract', 'struct_extract_at', 'array_extract', '->', '->>']);
const CHOOSING_OPERATORS = new Set(['ARRAY_EXTRACT', 'STRUCT_EXTRACT']);

/**
 * Checks where the tree of a statement names parameters: only those that are declared, and only where a value stands.
 * The database takes them, too, where they choose columns: `COLUMNS(:pattern)`, `row_of_table[:name]`.
 * @param known in lower case
 * @throws RefusedStatement
 */
export function checkParameters(root: SyntaxNode, known: ReadonlySet<string>): void {
  visit(root, known, false);
}

/** @param choosing whether what stands here chooses columns */
function visit(value: unknown, known: ReadonlySet<string>, choosing: boolean): void {
  if (Array.isArray(value)) for (const item of value) visit(item, known, choosing);
  if (!isNode(value)) return;
  const kind = value['class'];
  if (kind === 'CONSTANT') return;
  if (kind === 'PARAMETER') check(value['identifier'], known, choosing);
  const keyed = takesKey(value);
  for (const [key, child] of Object.entries(value)) {
    if (keyed && key === 'children' && Array.isArray(child))
      for (const [at, part] of child.entries()) visit(part, known, choosing || at > 0);
    else visit(child, known, choosing || (kind === 'STAR' && key === 'expr'));
  }
}

function check(name: unknown, known: ReadonlySet<string>, choosing: boolean): void {
  if (typeof name !== 'string' || !known.has(name))
    throw new RefusedStatement(
      known.size === 0 ? 'A statement has no parameters here.' : `No parameter :${String(name)} is declared.`,
    );
  if (choosing) throw new RefusedStatement(`A parameter stands for a value: :${name} cannot choose a column or a key.`);
}

/** Whether all children of a node but the first choose a part of that. */
function takesKey(node: SyntaxNode): boolean {
  if (node['class'] === 'OPERATOR') return CHOOSING_OPERATORS.has(String(node['type']));
  return node['class'] === 'FUNCTION' && CHOOSING_FUNCTIONS.has(String(node['function_name']).toLowerCase());
}

import { ALLOWED_FUNCTIONS, ALLOWED_TABLE_FUNCTIONS, MAX_PADDING, PADDING_FUNCTIONS } from './allowed-functions.js';

/** A statement that may not run, in words that help whoever wrote it to write another. */
export class RefusedStatement extends Error {}

/** A node of the tree that `json_serialize_sql` makes. */
export interface SyntaxNode {
  readonly [key: string]: unknown;
}

const EXPRESSIONS = new Set(
  `BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF OPERATOR PARAMETER
   POSITIONAL_REFERENCE STAR SUBQUERY WINDOW TYPE`.split(/\s+/),
);

/** Queries, sources of rows, modifiers and directions; types of values end in `_TYPE_INFO`. */
const NODES = new Set(
  `SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE
   BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST EMPTY PIVOT
   ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER
   ORDER_DEFAULT ASCENDING DESCENDING`.split(/\s+/),
);

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the tree has something there. */
export function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

/**
 * Checks the tree of one SELECT: it may name `tables` and its own WITH queries, call the functions of the list, and
 * nothing else; parameters, `checkParameters` looks at. Whatever the check does not know is refused.
 * @param tables in lower case
 * @throws RefusedStatement
 */
export function checkTree(root: SyntaxNode, tables: ReadonlySet<string>): void {
  new Walk(tables).visit(root, new Set());
}

type Names = ReadonlySet<string>;

class Walk {
  constructor(private readonly tables: Names) {}

  /** @param queries the WITH queries that are in scope, in lower case */
  visit(value: unknown, queries: Names): void {
    if (Array.isArray(value)) {
      for (const item of value) this.visit(item, queries);
      return;
    }
    if (!isNode(value)) return;
    const kind = value['class'];
    if (kind === undefined) this.checkKind(value, NODES, 'type');
    else this.checkKind(value, EXPRESSIONS, 'class');
    // Holds data: what looks like a node in it is none.
    if (kind === 'CONSTANT') return;
    if (kind === 'FUNCTION' || kind === 'WINDOW') checkFunction(value, ALLOWED_FUNCTIONS);
    if (kind === undefined && value['type'] === 'BASE_TABLE') this.checkTable(value, queries);
    const inner = isNode(value['cte_map']) ? this.visitQueries(value['cte_map'], queries) : queries;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'cte_map') continue;
      if (kind === undefined && value['type'] === 'TABLE_FUNCTION' && key === 'function')
        this.visitTableFunction(child, inner);
      else this.visit(child, inner);
    }
  }

  private checkKind(node: SyntaxNode, known: Names, key: 'class' | 'type'): void {
    const kind = node[key];
    if (typeof kind !== 'string' || known.has(kind) || kind.endsWith('_TYPE_INFO')) return;
    throw new RefusedStatement(`This kind of clause may not be used here: ${kind.toLowerCase()}.`);
  }

  /** A query of WITH sees those before it, and itself when it is recursive: any other use of its name means a table. */
  private visitQueries(map: SyntaxNode, outer: Names): Names {
    const known = new Set(outer);
    for (const entry of Array.isArray(map['map']) ? map['map'] : []) {
      const { key, value } = isNode(entry) ? entry : {};
      if (typeof key !== 'string') throw new RefusedStatement('This WITH clause cannot be read.');
      const name = key.toLowerCase();
      const within = new Set(known);
      if (isRecursive(value)) within.add(name);
      else within.delete(name);
      this.visit(value, within);
      known.add(name);
    }
    return known;
  }

  private checkTable(node: SyntaxNode, queries: Names): void {
    const { table_name: name, schema_name: schema, catalog_name: catalog, at_clause: at } = node;
    const shown = [catalog, schema, name].filter((part) => typeof part === 'string' && part !== '').join('.');
    const qualified = isFilled(catalog) || isFilled(schema);
    const known = typeof name === 'string' && (this.tables.has(name.toLowerCase()) || queries.has(name.toLowerCase()));
    if (!known || qualified || isFilled(at))
      throw new RefusedStatement(`There is no table "${shown}". Only the tables of the files can be read, by name.`);
  }

  private visitTableFunction(call: unknown, queries: Names): void {
    if (!isNode(call) || call['class'] !== 'FUNCTION') throw new RefusedStatement('This FROM clause cannot be read.');
    checkFunction(call, ALLOWED_TABLE_FUNCTIONS);
    const { class: _, function_name: __, ...rest } = call;
    for (const part of Object.values(rest)) this.visit(part, queries);
  }
}

function isRecursive(value: unknown): boolean {
  const query = isNode(value) ? value['query'] : undefined;
  const node = isNode(query) ? query['node'] : undefined;
  return isNode(node) && node['type'] === 'RECURSIVE_CTE_NODE';
}

function checkFunction(node: SyntaxNode, allowed: Names): void {
  const name = node['function_name'];
  const schema = isFilled(node['schema']) ? node['schema'] : 'main';
  const own = schema === 'main' && !isFilled(node['catalog']);
  if (typeof name !== 'string' || !own || !allowed.has(name.toLowerCase()))
    throw new RefusedStatement(`The function "${String(name)}" may not be used here.`);
  if (PADDING_FUNCTIONS.has(name.toLowerCase())) checkPadding(node);
}

function checkPadding(node: SyntaxNode): void {
  const children = Array.isArray(node['children']) ? (node['children'] as unknown[]) : [];
  const length = isNode(children[1]) && isNode(children[1]['value']) ? children[1]['value']['value'] : undefined;
  if (typeof length !== 'number' || length > MAX_PADDING)
    throw new RefusedStatement(`Texts can be padded to a constant length of at most ${MAX_PADDING}.`);
}

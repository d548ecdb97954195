/** A way out of a node of a kind, as the kind declares it: the param that lists the nodes that follow there. */
export interface OutletDeclaration {
  /** Like `if_true`, or `cases[].next` for one outlet in each item of a list. */
  param: string;
  label: string;
  /** What canvases call it beside its own name: lower case, words joined by hyphens. */
  names?: readonly string[];
  /** Of an item, for `x[].next`: the keys whose values name the outlet. */
  itemNames?: readonly string[];
  /** Followed beside the ordinary way out, not instead of it: nodes that stand in no outlet are its normal case. */
  isAside?: boolean;
}

/** An outlet as the catalogue shows it, in wire names (additive to docs/contract/workflows.md#the-catalogue). */
export interface CatalogueOutlet {
  /** Where the ids of the nodes that follow stand: a field of the node, or a param of it. */
  param: string;
  place: 'node' | 'params';
  label: string;
  /** Whether there is one in each item of the list that the param names. */
  many: boolean;
  /** What the `sourceHandle` of a canvas edge is called; `{index}` counts from 0. */
  handle: string;
}

/** Of a node: what it says of itself, and one for each item of a list. */
export interface NodeOutlet {
  declaration: OutletDeclaration;
  /** Of `x[].next`; null for the others. */
  index: number | null;
  /** As a message names it, like `cases[0].next`. */
  name: string;
}

export const ERROR_OUTLET = 'error_next';

export function toCatalogueOutlets(outlets: readonly OutletDeclaration[]): CatalogueOutlet[] {
  const decides = outlets.some(({ isAside }) => !isAside);
  return [
    { param: 'next', place: 'node', label: decides ? 'Always' : 'Next', many: false, handle: 'next' },
    ...outlets.map(({ param, label }): CatalogueOutlet => {
      const list = listOf(param);
      const handle = list === null ? param : `${list}[{index}]`;
      return { param, place: 'params', label, many: list !== null, handle };
    }),
    { param: ERROR_OUTLET, place: 'node', label: 'When it fails', many: false, handle: 'error' },
  ];
}

export function outletsOf(
  declarations: readonly OutletDeclaration[],
  params: Readonly<Record<string, unknown>>,
): NodeOutlet[] {
  return declarations.flatMap((declaration): NodeOutlet[] => {
    const list = listOf(declaration.param);
    if (list === null) return [{ declaration, index: null, name: declaration.param }];
    const items: unknown = params[list];
    if (!Array.isArray(items)) return [];
    return items.map((_, index) => ({ declaration, index, name: declaration.param.replace('[]', `[${index}]`) }));
  });
}

/** The ids that the params of a node name at an outlet. */
export function targetsAt({ declaration, index }: NodeOutlet, params: Readonly<Record<string, unknown>>): string[] {
  const holder = index === null ? params : itemAt(declaration, params, index);
  const ids = isObject(holder) ? holder[keyOf(declaration)] : undefined;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** The params with these ids at the outlet; what they were stays as it is. */
export function withTargets(
  { declaration, index }: NodeOutlet,
  params: Readonly<Record<string, unknown>>,
  ids: readonly string[],
): Record<string, unknown> {
  const key = keyOf(declaration);
  if (index === null) return { ...params, [key]: ids };
  const list = listOf(declaration.param)!;
  const items = [...(params[list] as unknown[])];
  const item = items[index];
  if (!isObject(item)) return { ...params };
  items[index] = { ...item, [key]: ids };
  return { ...params, [list]: items };
}

/** What an item of `x[].next` is called, like the value of a case. */
export function itemNamesOf(outlet: NodeOutlet, params: Readonly<Record<string, unknown>>): string[] {
  const { declaration, index } = outlet;
  const item = index === null ? null : itemAt(declaration, params, index);
  if (!isObject(item)) return [];
  return [...(declaration.itemNames ?? []), 'id', 'label', 'name', 'handle']
    .map((key) => item[key])
    .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(String);
}

/** `cases` of `cases[].next`; null for a param that is the outlet itself. */
export function listOf(param: string): string | null {
  const end = param.indexOf('[]');
  return end < 0 ? null : param.slice(0, end);
}

function keyOf({ param }: OutletDeclaration): string {
  return param.slice(param.lastIndexOf('.') + 1);
}

function itemAt({ param }: OutletDeclaration, params: Readonly<Record<string, unknown>>, index: number): unknown {
  const items: unknown = params[listOf(param) ?? ''];
  return Array.isArray(items) ? items[index] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

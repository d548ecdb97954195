export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Nodes of a definition of any shape. */
export function nodesIn(spec: Json | null): Json[] {
  return Array.isArray(spec?.nodes) ? spec.nodes.filter(isJson) : [];
}

export function paramsIn(node: Json): Json {
  return isJson(node.params) ? node.params : {};
}

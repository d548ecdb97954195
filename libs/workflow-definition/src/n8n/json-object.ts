export type JsonObject = Record<string, unknown>;

/** What n8n keeps in a form may be anything: exports are written by hand, too. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { ReferenceScope } from './params-template.js';

/** The body of a loop is a run of its own, to which the loop hands item and index with the payload. */
export function bodyItemOf(payload: Record<string, unknown> | null): ReferenceScope['item'] {
  if (payload === null || !Object.hasOwn(payload, '_index')) return undefined;
  return { value: payload._item, index: Number(payload._index) };
}

import * as fc from 'fast-check';
import { hostileValue } from './values.js';

/** One change to a JSON value: where (counted over all its places), what, and with which value. */
export interface Mutation {
  place: number;
  kind: 'replace' | 'drop' | 'add' | 'wrap' | 'repeat';
  key: string;
  value: unknown;
}

const KEYS = ['__proto__', 'constructor', 'toString', 'unknown', '', 'length', '$ref', 'id', 'owner_id', 'is_staff'];

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(40),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'add', 'wrap', 'repeat'),
  key: fc.constantFrom(...KEYS),
  value: hostileValue,
});

type Container = Record<string, unknown> | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** A changed copy; the top counts as a place, too. */
export function mutated(original: unknown, mutations: readonly Mutation[]): unknown {
  const root = { body: structuredClone(original) };
  for (const { place, kind, key, value: given } of mutations) {
    // A later change may be made within it.
    const value = structuredClone(given);
    const places = placesOf(root);
    const [holder, name] = places[place % places.length]!;
    const slots = holder as Record<string, unknown>;
    const present = slots[name];
    if (kind === 'replace') slots[name] = value;
    else if (kind === 'drop' && holder !== root) delete slots[name];
    else if (kind === 'wrap') slots[name] = [present];
    else if (kind === 'repeat') slots[name] = Array.from({ length: 1 + (place % 7) }, () => structuredClone(present));
    else if (kind === 'add' && isContainer(present) && !Array.isArray(present))
      Object.defineProperty(present, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return root.body;
}

/** Every place that holds a value, as the container and the name within. */
function placesOf(value: Container): [Container, string][] {
  return Object.entries(value).flatMap(([name, inner]): [Container, string][] => [
    [value, name],
    ...(isContainer(inner) ? placesOf(inner) : []),
  ]);
}

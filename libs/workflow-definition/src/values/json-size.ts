const MAX_DEPTH = 200;

export interface JsonSize {
  /** Of the JSON text, roughly. */
  bytes: number;
  /** What the value takes of a heap, in bytes, roughly: a list of short lists takes thirty times its text. */
  weight: number;
}

const EMPTY = 40;
const FIELD = 32;
const PLACE = 8;

/** Counted only until `limit` bytes are passed; null when it is not JSON at all. */
export function measureJson(root: unknown, limit: number): JsonSize | null {
  // Two stacks, of lists and objects alone: a large output has millions of values, and nothing else runs meanwhile.
  const open: object[] = [];
  const depths: number[] = [];
  let bytes = 0;
  let weight = 0;
  const count = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') {
      const length = Buffer.byteLength(value);
      bytes += length + 2;
      weight += (length === value.length ? length : 2 * value.length) + 16;
    } else if (typeof value === 'bigint') return false;
    else if (typeof value !== 'object' || value === null) {
      bytes += 5;
      weight += PLACE;
    } else {
      // Deeper values come from circles, or would exhaust the stack of JSON.stringify.
      if (depth > MAX_DEPTH) return false;
      bytes += 2;
      weight += EMPTY;
      open.push(value);
      depths.push(depth);
    }
    return true;
  };
  if (!count(root, 0)) return null;
  for (let value = open.pop(); value !== undefined && bytes <= limit; value = open.pop()) {
    const depth = depths.pop()! + 1;
    if (Array.isArray(value)) {
      bytes += value.length;
      weight += PLACE * value.length;
      for (const item of value as unknown[]) {
        if (bytes > limit) break;
        if (!count(item, depth)) return null;
      }
    } else {
      for (const key in value) {
        if (!Object.hasOwn(value, key)) continue;
        bytes += Buffer.byteLength(key) + 4;
        weight += FIELD + key.length;
        if (bytes > limit) break;
        if (!count((value as Record<string, unknown>)[key], depth)) return null;
      }
    }
  }
  return { bytes, weight };
}

const MAX_DEPTH = 200;

/** Bytes of the JSON text of a value, counted only until `limit` is passed; null when it is not JSON at all. */
export function jsonSize(root: unknown, limit: number): number | null {
  // Two stacks, of lists and objects alone: a large output has millions of values, and nothing else runs meanwhile.
  const open: object[] = [];
  const depths: number[] = [];
  let size = 0;
  const count = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') size += Buffer.byteLength(value) + 2;
    else if (typeof value === 'bigint') return false;
    else if (typeof value !== 'object' || value === null) size += 5;
    else {
      // Deeper values come from circles, or would exhaust the stack of JSON.stringify.
      if (depth > MAX_DEPTH) return false;
      size += 2;
      open.push(value);
      depths.push(depth);
    }
    return true;
  };
  if (!count(root, 0)) return null;
  for (let value = open.pop(); value !== undefined && size <= limit; value = open.pop()) {
    const depth = depths.pop()! + 1;
    if (Array.isArray(value)) {
      size += value.length;
      for (const item of value as unknown[]) {
        if (size > limit) break;
        if (!count(item, depth)) return null;
      }
    } else {
      for (const key in value) {
        if (!Object.hasOwn(value, key)) continue;
        size += Buffer.byteLength(key) + 4;
        if (size > limit) break;
        if (!count((value as Record<string, unknown>)[key], depth)) return null;
      }
    }
  }
  return size;
}

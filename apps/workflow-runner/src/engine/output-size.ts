/** Bytes of the JSON text of a value, counted only until `limit` is passed; null when it is not JSON at all. */
export function jsonSize(root: unknown, limit: number): number | null {
  let size = 0;
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = open.pop(); item !== undefined && size <= limit; item = open.pop()) {
    const { value, depth } = item;
    // Deeper values come from circles, or would exhaust the stack of JSON.stringify.
    if (depth > MAX_DEPTH || typeof value === 'bigint') return null;
    if (typeof value === 'string') size += Buffer.byteLength(value) + 2;
    else if (typeof value !== 'object' || value === null) size += 5;
    else if (Array.isArray(value)) {
      size += 2 + value.length;
      if (size <= limit) for (const child of value) open.push({ value: child, depth: depth + 1 });
    } else {
      for (const [key, child] of Object.entries(value)) {
        size += Buffer.byteLength(key) + 4;
        open.push({ value: child, depth: depth + 1 });
      }
    }
  }
  return size;
}

const MAX_DEPTH = 200;

/** Enough to tell any language by; more costs time and changes nothing. */
export const EVIDENCE_BYTES = 8 * 1024;
/** Around a letter beyond ASCII: the words beside it. */
const AROUND = 24;

/** The pieces of a text that hold bytes beyond ASCII, from all over it, with the words around them. */
export function evidenceOf(chunks: Iterable<Buffer>): Buffer {
  const found: Buffer[] = [];
  let left = EVIDENCE_BYTES;
  for (const chunk of chunks) left = gather(chunk, found, left);
  return Buffer.concat(found);
}

/** @returns how many bytes may still be gathered */
export function gather(chunk: Buffer, into: Buffer[], left: number): number {
  let rest = left;
  let at = 0;
  while (rest > 0) {
    const high = findHigh(chunk, at);
    if (high === -1) break;
    const start = wordStart(chunk, Math.max(at, high - AROUND), high);
    const end = runEnd(chunk, high, Math.min(chunk.length, high + rest));
    into.push(chunk.subarray(start, end), Buffer.from('\n'));
    rest -= end - start + 1;
    at = end;
  }
  return rest;
}

function findHigh(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) if ((bytes[at] ?? 0) >= 0x80) return at;
  return -1;
}

/** The first blank that is near enough; only bytes of ASCII stand between it and the letter. */
function wordStart(bytes: Buffer, from: number, high: number): number {
  for (let at = from; at < high; at += 1) if ((bytes[at] ?? 0) <= 0x20) return at + 1;
  return from;
}

/** Up to a line end, or to where a run of ASCII begins: never between the two bytes of one character. */
function runEnd(bytes: Buffer, high: number, limit: number): number {
  let ascii = 0;
  for (let at = high; at < limit; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x0a || byte === 0x0d) return at;
    ascii = byte < 0x80 ? ascii + 1 : 0;
    if (ascii > AROUND * 2 && byte <= 0x20) return at;
  }
  return limit;
}

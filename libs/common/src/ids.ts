import { createHash, randomFillSync, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
/** Randomness for the next ids: to ask the system for that of each alone takes ten times as long as all the rest. */
const POOL = new Uint8Array(256 * ID_BYTES);
let poolAt = POOL.length;
let lastMs = 0;
let sequence = 0;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Tells nothing, and cannot be guessed. */
export function newId(): string {
  return randomUUID();
}

/**
 * A UUID (RFC 9562, version 7) that begins with the time, for rows that come without end: new ones meet at one place of an
 * index. It tells when it was made, so never for what is secret or what people pass on (docs/decisions/0040).
 */
export function newTimeOrderedId(): string {
  if (poolAt === POOL.length) {
    randomFillSync(POOL);
    poolAt = 0;
  }
  const random = POOL.subarray(poolAt, (poolAt += ID_BYTES));
  const now = Date.now();
  if (now > lastMs) [lastMs, sequence] = [now, (random[6]! << 16) | (random[7]! << 8) | random[8]!];
  // Within a millisecond, or where the clock went back: one after the other. It begins so low that it never overflows.
  else sequence += 1;
  return v7({ random, msecs: lastMs, seq: sequence });
}

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** A name-based UUID (RFC 9562, version 5): the same namespace and name always give the same id. */
export function derivedId(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

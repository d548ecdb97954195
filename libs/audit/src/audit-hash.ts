import { createHash } from 'node:crypto';

/** What the chain's hash covers; the personal part by its digest alone. */
export interface HashedEvent {
  seq: number;
  id: string;
  at: Date;
  action: string;
  outcome: string;
  requestId: string | null;
  personalDigest: Buffer;
}

export const GENESIS = Buffer.alloc(32);

/** SHA-256 over the previous hash and the event, as the JSON text of a list. */
export function chainHash(previous: Buffer, event: HashedEvent): Buffer {
  const { seq, id, at, action, outcome, requestId, personalDigest } = event;
  const text = JSON.stringify([seq, id, at.toISOString(), action, outcome, requestId, personalDigest.toString('hex')]);
  return createHash('sha256').update(previous).update(text).digest();
}

/** The personal part holds a random salt, so that nobody finds it again by trying, once it is erased. */
export function personalDigest(actorId: number | null, subjectId: number | null, personal: unknown): Buffer {
  return createHash('sha256')
    .update(canonical([actorId, subjectId, personal]))
    .digest();
}

/** jsonb does not keep the order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

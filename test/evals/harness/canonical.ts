import { createHash } from 'node:crypto';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What stays the same of a text from run to run. @param names of uids that are known */
export function canonicalText(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(UUID, (uid) => `<${names.get(uid) ?? 'id'}>`)
    .replace(/<<<(DATA|END) [0-9a-f]+/g, '<<<$1')
    .replace(/\br_[0-9a-f]{6,}/g, '<handle>')
    .replace(/"score":-?[\d.e-]+/g, '"score":n')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z?/g, '<time>')
    .replace(/127\.0\.0\.1:\d+/g, '<host>')
    .replace(/\/media\/[^"\s)]+/g, '<media>');
}

/** Short names of the parts of a request that an answer rests on: when one has changed, the answer is stale. */
export function fingerprints(parts: readonly string[], names: ReadonlyMap<string, string>): string[] {
  return parts.map((part) => createHash('sha256').update(canonicalText(part, names)).digest('base64url').slice(0, 10));
}

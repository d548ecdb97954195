import { createHash } from 'node:crypto';

const MAX_NAME = 64;
const BETWEEN = '__';
const HASH_DIGITS = 10;
const UNFIT = /[^a-zA-Z0-9_-]/g;

/**
 * What a tool is called for models: `<slug>__<tool>` of at most 64 letters, digits, `_` and `-`. A name that has to be
 * altered ends in a hash of the whole, and so does one that looks as if it did: no two names of a server become one.
 */
export function offeredName(slug: string, tool: string): string {
  const room = MAX_NAME - slug.length - BETWEEN.length;
  const plain = tool.replace(UNFIT, '_');
  if (plain === tool && tool.length <= room && !/_[0-9a-f]{10}$/.test(tool)) return slug + BETWEEN + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_DIGITS);
  return `${slug}${BETWEEN}${plain.slice(0, room - HASH_DIGITS - 1)}_${hash}`;
}

/** The slug in an offered name: slugs hold no `__` and do not end in `_`. Null for a name that was never offered. */
export function slugOf(name: string): string | null {
  const at = name.indexOf(BETWEEN);
  return at > 0 ? name.slice(0, at) : null;
}

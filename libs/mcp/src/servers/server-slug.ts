import { nameKey } from '@app/common';

const MAX_SLUG = 24;

/**
 * The key by which models know a server, from its label: lower-case letters and digits, words parted by one `_`, 24
 * characters. It never holds `__` and never ends in `_`, so that `<slug>__<tool>` can be taken apart again.
 * @param taken those of the user's other servers
 */
export function slugFor(label: string, taken: ReadonlySet<string>): string {
  const wanted = cut(nameKey(label).replaceAll(' ', '_'), MAX_SLUG) || 'server';
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) {
    const ending = `_${number}`;
    const slug = cut(wanted, MAX_SLUG - ending.length) + ending;
    if (!taken.has(slug)) return slug;
  }
}

function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/_+$/, '');
}

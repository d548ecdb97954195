import type { Reading } from './reading.js';
import { WORD_GROUPS } from './word-groups.js';

type Groups = ReadonlyMap<string, ReadonlySet<number>>;

function groupsIn(reading: Reading): Groups {
  return reading.cached('related words', () => {
    const groups = new Map<string, Set<number>>();
    for (const [at, line] of WORD_GROUPS.entries())
      for (const term of reading.analyse(line)) groups.set(term, (groups.get(term) ?? new Set()).add(at));
    return groups;
  });
}

/** Whether a term has others that are used for the same thing. */
export function hasRelatives(term: string, reading: Reading): boolean {
  return groupsIn(reading).has(term);
}

/** Words that are used for the same thing as one of a text, as they are written in the list; none for most. */
export function relativesOf(text: string, reading: Reading): string[] {
  const groups = groupsIn(reading);
  const wanted = new Set(reading.analyse(text).flatMap((term) => [...(groups.get(term) ?? [])]));
  return WORD_GROUPS.flatMap((line, at) => (wanted.has(at) ? line.split(' ') : []));
}

/** Whether two terms are used for the same thing. */
export function areRelated(left: string, right: string, reading: Reading): boolean {
  const groups = groupsIn(reading);
  const [ofLeft, ofRight] = [groups.get(left), groups.get(right)];
  if (!ofLeft || !ofRight) return false;
  for (const group of ofLeft) if (ofRight.has(group)) return true;
  return false;
}

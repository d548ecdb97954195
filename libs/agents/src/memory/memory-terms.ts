import { setImmediate as pause } from 'node:timers/promises';
import { analyse } from '@app/retrieval';
import { memoryKey } from './memory-text.js';

/** Texts whose terms are kept: some megabytes. */
const MAX_KEPT = 40_000;
/** Texts at a time, some ten milliseconds: others use the thread, too. */
const PORTION = 150;

/** Articles, in the languages that people write to it, and whom every memory is about. */
const FILLER = new Set(
  'a an the user der die das den dem des ein eine einen einem einer nutzer benutzer le la les un une el los las ال'.split(
    ' ',
  ),
);

const kept = new Map<string, ReadonlySet<string>>();

/** What a text is found by. */
export function termsOf(text: string): ReadonlySet<string> {
  const known = kept.get(text);
  if (known) return known;
  const terms = new Set(analyse(text));
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(text, terms);
  return terms;
}

/** With terms, for some thousands of them. */
export async function withTerms<T extends { text: string; cues: string }>(memories: readonly T[]) {
  const found: (T & { terms: { own: ReadonlySet<string>; cues: ReadonlySet<string> } })[] = [];
  for (let at = 0; at < memories.length; at += PORTION) {
    for (const memory of memories.slice(at, at + PORTION))
      found.push({ ...memory, terms: { own: termsOf(memory.text), cues: termsOf(memory.cues) } });
    if (at + PORTION < memories.length) await pause();
  }
  return found;
}

/**
 * The same for texts that say the same in the same order, whatever the articles, the endings and the punctuation. Numbers
 * and negations count.
 */
export function gistOf(text: string): string {
  return memoryKey(text)
    .split(' ')
    .filter((word) => !FILLER.has(word))
    .map((word) => analyse(word)[0] ?? word)
    .join(' ');
}

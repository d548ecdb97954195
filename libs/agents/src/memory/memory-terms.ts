import { setImmediate as pause } from 'node:timers/promises';
import { analyse, detectLanguage, type LanguageCode, termsOf } from '@app/retrieval';
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

/** What a memory is found by. */
export interface MemoryTerms {
  own: ReadonlySet<string>;
  cues: ReadonlySet<string>;
  /** Of its text; null where it is too short to tell. */
  language: LanguageCode | null;
}

const kept = new Map<string, MemoryTerms>();

/** By the rules of its language and of English, as cues are in both and a language may be mistaken. */
export function memoryTerms({ text, cues }: { text: string; cues: string }): MemoryTerms {
  const key = `${text}\n${cues}`;
  const known = kept.get(key);
  if (known) return known;
  const language = detectLanguage(text);
  const languages = new Set<LanguageCode>(['en', language ?? 'en']);
  const of = (words: string) => new Set([...languages].flatMap((one) => Object.values(termsOf(words, one)).flat()));
  const terms = { own: of(text), cues: of(cues), language };
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(key, terms);
  return terms;
}

/** With terms, for some thousands of them. */
export async function withTerms<T extends { text: string; cues: string }>(memories: readonly T[]) {
  const found: (T & { terms: MemoryTerms })[] = [];
  for (let at = 0; at < memories.length; at += PORTION) {
    for (const memory of memories.slice(at, at + PORTION)) found.push({ ...memory, terms: memoryTerms(memory) });
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

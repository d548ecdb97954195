import { analyse } from '@app/retrieval';
import { ARABIC_WORDS, SAME_WORDS } from './word-lists.js';

/** How much another word of a group counts beside the word itself. */
const SAME = 0.55;
const TRANSLATED = 0.9;

interface Lists {
  same: ReadonlyMap<string, readonly string[]>;
  arabic: ReadonlyMap<string, readonly string[]>;
}

let lists: Lists | null = null;

/**
 * What a word of a query may be called in a definition, with how much that counts: itself, words for the same thing, and
 * for an Arabic one what it is in English.
 */
export function wordsFor(term: string): Map<string, number> {
  const { same, arabic } = (lists ??= readLists());
  const words = new Map([[term, 1]]);
  const add = (word: string, weight: number) => words.set(word, Math.max(weight, words.get(word) ?? 0));
  const translated = arabicForms(term).flatMap((form) => arabic.get(form) ?? []);
  for (const word of translated) add(word, TRANSLATED);
  for (const word of [term, ...translated]) for (const other of same.get(word) ?? []) add(other, SAME);
  return words;
}

export function isKnownWord(term: string): boolean {
  const { arabic } = (lists ??= readLists());
  return arabicForms(term).some((form) => arabic.has(form));
}

/** As it is, and without the ending of the accusative and the beginnings of verbs, which the stem keeps. */
function arabicForms(term: string): string[] {
  const forms = [term, term.replace(/\u0627$/, ''), term.replace(/^[\u0627\u062a\u064a\u0646](?=.{3})/, '')];
  return [...new Set(forms)].filter((form) => form.length > 1);
}

function readLists(): Lists {
  const same = new Map<string, string[]>();
  for (const group of groupsOf(SAME_WORDS)) {
    const terms = [...new Set(analyse(group))];
    for (const term of terms) same.set(term, [...(same.get(term) ?? []), ...terms.filter((other) => other !== term)]);
  }
  const arabic = new Map<string, string[]>();
  for (const group of groupsOf(ARABIC_WORDS)) {
    const [words = '', meanings = ''] = group.split('=');
    for (const term of analyse(words)) arabic.set(term, [...(arabic.get(term) ?? []), ...analyse(meanings)]);
  }
  return { same, arabic };
}

function groupsOf(text: string): string[] {
  return text.split(';').filter((group) => group.trim() !== '');
}

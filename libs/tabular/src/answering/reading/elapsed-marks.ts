import { adjectiveAt } from './adjectives.js';
import { amountAt } from './amounts.js';
import { OLDEST } from './conditions.js';
import { elapsedAbroad } from './elapsed-abroad.js';
import { ElapsedWords } from './elapsed-words.js';
import { lexiconOf } from './lexicon.js';
import type { Mark } from './mark-words.js';
import type { Vocabulary } from './vocabulary.js';
import type { Word } from './words.js';

/** What the words say of how long something took, or how old it is. */
export function elapsedMarks(words: readonly Word[], at: number, vocabulary: Vocabulary): Mark[] {
  const isEnglish = words[at]!.language === 'en';
  const marks = isEnglish ? new ElapsedWords(words, vocabulary).at(at) : elapsedAbroad(words, at, vocabulary);
  return marks.map(({ length, ...mark }): Mark => {
    const place = { words: words.slice(at, at + length), at };
    return mark.kind === 'column'
      ? { kind: 'column', columns: mark.columns, family: mark.columns, general: true, ...place }
      : { ...mark, ...place };
  });
}

/** «Älter als 40», «hoe oud» where only birthdays tell: who is the oldest was born first. */
export function ofAge(
  plain: readonly string[],
  { language }: Word,
  vocabulary: Vocabulary,
): ReturnType<typeof adjectiveAt> {
  const { age } = vocabulary.elapsedIn(language);
  const found = age && language !== 'en' ? adjectiveAt(plain, [age], language) : null;
  if (found?.adjective.form !== 'superlative') return found;
  const direction = found.adjective.direction === 'desc' ? 'asc' : 'desc';
  return { ...found, adjective: { ...found.adjective, direction, columns: [age!.elapsed!.from] } };
}

const LINKING = new Set<Mark['kind']>(['preposition', 'verb', 'article', 'aside', 'and']);

function isLinking({ plain, language, quoted }: Word): boolean {
  return !quoted && (lexiconOf(language).get(plain) ?? []).some(({ kind }) => LINKING.has(kind));
}

/**
 * "Employees over 40", «mayores de 40» where only birthdays tell.
 * @param namesFigure whether a figure is named at a place: "a rating of over 4", "earn over 100", "over 40 hours" are not ages
 */
export function ofBareAge(
  marks: readonly Mark[],
  words: readonly Word[],
  at: number,
  vocabulary: Vocabulary,
  namesFigure: (at: number) => boolean,
): Mark | null {
  const { age } = vocabulary.elapsedIn(words[at]!.language);
  const sign = marks.find((mark) => mark.kind === 'compare' && mark.of === 'numbers');
  if (!age || vocabulary.table.persons !== true || sign?.kind !== 'compare') return null;
  const start = at + sign.words.length;
  const found = start < words.length ? amountAt(words, start, vocabulary.units) : null;
  if (!found || found.amount.unit !== null || found.amount.number > OLDEST) return null;
  const before = words.slice(0, at).findLastIndex((word) => !isLinking(word));
  if (namesFigure(before) || namesFigure(start + found.length)) return null;
  const direction = sign.op.startsWith('>') ? 'desc' : 'asc';
  return {
    kind: 'adjective',
    adjective: { form: 'comparative', direction, op: sign.op, columns: [age] },
    words: sign.words,
    at,
  };
}

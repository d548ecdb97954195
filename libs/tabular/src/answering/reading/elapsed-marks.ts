import { adjectiveAt } from './adjectives.js';
import { amountAt } from './amounts.js';
import { isMeasured, OLDEST } from './conditions.js';
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

/** "A rating of over 4" */
function isSaidOfMeasure(words: readonly Word[], at: number, vocabulary: Vocabulary): boolean {
  const before = words.slice(0, at).findLastIndex((word) => !isLinking(word));
  if (before < 0) return false;
  const names = [vocabulary.columnAt(words, before), vocabulary.looseAt(words, before)];
  return names.some((found) => found?.columns.some(isMeasured));
}

const LINKING = new Set<Mark['kind']>(['preposition', 'verb', 'article', 'aside', 'and']);

function isLinking({ plain, language, quoted }: Word): boolean {
  return !quoted && (lexiconOf(language).get(plain) ?? []).some(({ kind }) => LINKING.has(kind));
}

/** "Employees over 40", «mayores de 40» where only birthdays tell: no figure of theirs, unless one is named. */
export function ofBareAge(
  marks: readonly Mark[],
  words: readonly Word[],
  at: number,
  vocabulary: Vocabulary,
): Mark | null {
  const { age } = vocabulary.elapsedIn(words[at]!.language);
  const sign = marks.find((mark) => mark.kind === 'compare' && mark.of === 'numbers');
  if (!age || vocabulary.table.persons !== true || sign?.kind !== 'compare') return null;
  const behind = at + sign.words.length;
  const amount = behind < words.length ? amountAt(words, behind, vocabulary.units)?.amount : null;
  if (!amount || amount.unit !== null || amount.number > OLDEST || isSaidOfMeasure(words, at, vocabulary)) return null;
  const direction = sign.op.startsWith('>') ? 'desc' : 'asc';
  return {
    kind: 'adjective',
    adjective: { form: 'comparative', direction, op: sign.op, columns: [age] },
    words: sign.words,
    at,
  };
}

import type { AskedColumn, AskedTable } from '../asked-table.js';
import { lexiconOf } from './lexicon.js';
import { VERBS } from './lexicon/verbs.js';
import { addsUp } from './measures.js';
import { isKey, isNumeric, isTime, labelOf, isYearColumn } from './reading.js';
import { inFull } from './short-names.js';
import { quantityOf } from './synonyms.js';
import { timeAt } from './times.js';
import { nameWords, sameWord, type Word } from './words.js';

const SHORTEST_STEM = 4;
/** How far behind a verb its time is looked for: "in", "of", "the". */
const NEAR = 3;

/** Columns that a verb is about by its stem: "hired" of `HireDate`, "directed" of `Director`; of times where a time follows. */
export function actedColumns(words: readonly Word[], at: number, { columns }: AskedTable): AskedColumn[] {
  const { plain, norm, language, quoted } = words[at]!;
  const verbs = VERBS[language];
  if (quoted || !verbs) return [];
  const stems = verbs.stems(language === 'en' ? norm : plain);
  const { endings } = verbs;
  const isOf = (part: string) =>
    stems.some(
      (stem) =>
        part.startsWith(stem) &&
        (endings === null ? part.length > stem.length : endings.has(part.slice(stem.length))) &&
        (stem.length >= SHORTEST_STEM || part.length <= stem.length + 1),
    );
  const own = columns.filter((column) => !isKey(column) && partsOf(column).some(isOf));
  const times = own.filter((column) => isTime(column) || isYearColumn(column));
  const behind = words.slice(at + 1, at + 1 + NEAR);
  const timed = behind.some((_, next) => timeAt(words, at + 1 + next) !== null) || words[0]!.plain === 'when';
  return own.length > 1 && timed && times.length > 0 ? times : own;
}

/** The columns that a verb of money or pieces may be about: "sells the most". */
export function measuredColumns(
  { norm, language, quoted }: Word,
  table: AskedTable,
  /** "How much tea": of a thing, rather than money. */
  ofThing: boolean,
  /** "How much", "the most": an amount is asked for. */
  much: boolean,
): AskedColumn[] {
  if (quoted) return [];
  const { columns } = table;
  const quantity = ofThing && VERBS[language]?.trades.has(norm) ? quantityOf(table) : null;
  if (quantity) return [quantity];
  const line = (verbs: string) => verbs.split(' ').includes(norm);
  // "How much did Ann buy": pieces or money?
  if (much && VERBS[language]?.buying.has(norm) === true) {
    const bought = columns.filter((column) => isNumeric(column) && !isKey(column) && addsUp(column));
    if (bought.length > 0) return bought;
  }
  for (const [verbs, names] of VERBS[language]?.measures ?? []) {
    if (!line(verbs)) continue;
    const known = names.split(' ');
    const own = columns.filter(
      (column) =>
        isNumeric(column) &&
        !isKey(column) &&
        !isYearColumn(column) &&
        !isOfOnePiece(column, table) &&
        partsOf(column).some((part) => known.some((name) => sameWord(part, name))),
    );
    if (own.length > 0) return own;
  }
  return [];
}

/** What one piece costs is not what is spent where several are bought at once. */
export function isOfOnePiece(column: AskedColumn, table: AskedTable): boolean {
  const parts = partsOf(column);
  const prices = parts.some((part) => /^(?:(?:einzel|stuck)?preis|price|prix|precio)$/.test(part));
  const whole = parts.some((part) => /^(?:total|gross|net|amount|line|extended|sum)$/.test(part));
  return prices && !whole && quantityOf(table) !== null;
}

/** Of how many words "how much" before a thing is. */
export function askingHowMuch(words: readonly Word[]): number {
  const phrases = VERBS[words[0]?.language ?? 'en']?.howMuch ?? [];
  const begins = (phrase: string) => phrase.split(' ').every((part, at) => words[at]?.plain === part);
  return Math.max(0, ...phrases.filter(begins).map((phrase) => phrase.split(' ').length));
}

/** Verbs of what a row is made by, on its first date. */
const FIRST = new Set(['placed', 'place', 'made', 'make', 'makes', 'spent', 'spend', 'spends', 'ausgegeben', 'we']);

/** "Sold in 2022" of a house that was listed on one day and sold on another: the verb chooses, and is not understood. */
export function choosesDate(words: readonly Word[], at: number, { columns }: AskedTable): boolean {
  if (FIRST.has(words[at]!.norm) || columns.filter(isTime).length < 2) return false;
  return words.some((_, other) => timeAt(words, other) !== null);
}

/** «Wie oft kommt Köln vor?» */
export function closesVerb(words: readonly Word[], at: number): boolean {
  const { plain, language, quoted } = words[at]!;
  return !quoted && at > 1 && at === words.length - 1 && VERBS[language]?.particles.has(plain) === true;
}

/** Whether the word says nothing there: a verb beside its object, "score" behind a column of scores. */
export function isLight(words: readonly Word[], at: number, table: AskedTable): boolean {
  const { norm, language, quoted } = words[at]!;
  const verbs = VERBS[language];
  if (quoted || !verbs) return false;
  if (verbs.light.has(norm)) return at > 0 && (at < words.length - 1 || words.length > 2);
  const before = words[at - 1];
  if (!before || before.quoted || !verbs.fillers.has(norm)) return false;
  return (
    table.columns.some((column) => {
      if (!isNumeric(column) || isKey(column) || isYearColumn(column)) return false;
      const parts = partsOf(column);
      if (!parts.some((part) => sameWord(part, before.norm))) return false;
      if (norm === 'time')
        return parts.some((part) => /^(?:minutes?|mins?|hours?|hrs?|seconds?|secs?|ms|days?)$/.test(part));
      return true;
    }) && lexiconOf(language).get(before.plain) === undefined
  );
}

function partsOf(column: AskedColumn): string[] {
  return [
    ...new Set([...nameWords(labelOf(column)), ...nameWords(column.name)].flatMap((part) => [part, inFull(part)])),
  ];
}

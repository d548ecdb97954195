import type { AskedColumn, AskedTable } from '../asked-table.js';
import { amountAt, type Amount } from './amounts.js';
import { adjectiveAt, type Adjective } from './adjectives.js';
import { arithmeticMarks, isSpending, isWorthOf } from './arithmetic-marks.js';
import { chosenOf } from './asking-back.js';
import { isMeasured } from './conditions.js';
import { adverbAt, doneAt, type DoneMark } from './done-dates.js';
import { deniedAt, isOfDenial } from './denials.js';
import { elapsedMarks, ofAge, ofBareAge } from './elapsed-marks.js';
import { languageNamed } from './lexicon/languages.js';
import { lexiconOf, LONGEST_PHRASE, type Comparison, type Meaning } from './lexicon.js';
import { meaningsAt } from './meanings.js';
import { standsFor } from './names.js';
import { isKey, isNumeric, isTime } from './reading.js';
import { GROUPING } from './row-nouns.js';
import { deathOf, quantityOf, saidOf, saidTakings, sexOf } from './synonyms.js';
import { soldOutAt } from './stocks.js';
import { trades } from './trades.js';
import { periodOf, relativeAt } from './relative-times.js';
import { timeAt, type Period, type Season } from './times.js';
import { actedColumns, askingHowMuch, choosesDate, closesVerb, isLight, measuredColumns } from './verbs.js';
import type { ValueMatch, Vocabulary } from './vocabulary.js';
import { textOf, type Word } from './words.js';
import { worthAt } from './worths.js';
import { isYesOrNo } from './yes-no.js';

/** A stretch of a question and one of the things that it can mean in view of one table. */
export type Mark = { words: Word[]; at: number } & (
  | Meaning
  /** `family`: of a part of a name, all columns that have it; `columns` are then those that it can stand for by itself.
   * `done`: said of rows, it tells whether their day is known. `each`: meant of what all rows of one of these come to.
   * `denied`: not so, as the name of it says it: "would not recommend". */
  | {
      kind: 'column';
      columns: AskedColumn[];
      family?: AskedColumn[];
      general?: true;
      verb?: true;
      done?: DoneMark;
      each?: AskedColumn;
      denied?: true;
    }
  /** What happened to whom a row is of, where the column has the day of it. */
  | { kind: 'event'; column: AskedColumn }
  /** On one side of zero: "late", "on time", "out of stock"; `named`: with what was done. */
  | { kind: 'sign'; columns: readonly AskedColumn[]; op: Comparison; named?: true }
  /** Said of one sort of column. */
  | { kind: 'adjective'; adjective: Adjective }
  /** A value that text columns have. */
  | ({ kind: 'value' } & ValueMatch)
  | { kind: 'amount'; amount: Amount }
  /** `relative`: told from today. */
  | { kind: 'period'; period: Period; relative?: true }
  | { kind: 'season'; season: Season }
  | { kind: 'twofold'; periods: Period[] }
  | { kind: 'truth'; value: boolean }
  /** The name of the table, or of what a row of it is; `guessed` where that has to be said. */
  | { kind: 'table'; key: AskedColumn | null; guessed?: true }
  /** In quotation marks, and no value that is known. */
  | { kind: 'quoted' }
);

const NO_UNITS: ReadonlySet<string> = new Set();

const TRUTHS = new Map([
  ...['true', 'yes', 'نعم', 'صحيح'].map((word) => [word, true] as const),
  ...['false', 'no', 'لا', 'خطا'].map((word) => [word, false] as const),
]);

function truthOf({ language, plain }: Word): boolean | undefined {
  const own = languageNamed(language)?.truths.findIndex((truths) => truths.split('|').includes(plain)) ?? -1;
  return own < 0 ? TRUTHS.get(plain) : own === 0;
}

/** Everything that the words from there on can mean; none when the first of them is not understood. */
export function marksAt(words: readonly Word[], at: number, vocabulary: Vocabulary): Mark[] {
  const first = words[at]!;
  let marks: Mark[] = [];
  const take = (length: number) => ({ words: words.slice(at, at + length), at });
  const value = vocabulary.valueAt(words, at);
  if (value && !isLoosePreposition(words, at, value) && !isOfDenial(words, at, value))
    marks.push({ kind: 'value', ...value, ...take(value.length) });
  const column = vocabulary.columnAt(words, at);
  // "Students with more than 10 absences" are rows, whatever else is called so.
  const begins = at === 0 || isCounted(words, at) || isChosen(words, at);
  const rows =
    begins &&
    vocabulary.tableAt(words, at) === column?.length &&
    column.columns.every(isNameOfRow) &&
    !isNumbered(words, at + column.length, column.columns, vocabulary);
  const isWorth = column !== null && isWorthOf(words, at, column.columns);
  if (column && !rows && !isWorth) marks.push({ kind: 'column', columns: column.columns, ...take(column.length) });
  const denied = deniedAt(words, at, vocabulary.table);
  if (denied) marks.push({ kind: 'column', columns: [denied.column], denied: true, ...take(denied.length) });
  if (first.quoted) return marks.length > 0 ? marks : [{ kind: 'quoted', ...take(1) }];
  // "Contains International": whatever stands there.
  if (isMatched(words, at)) marks.push({ kind: 'quoted', ...take(1) });
  // `sales.csv` with a column of sales: rows are meant only where they are counted.
  const named = vocabulary.tableAt(words, at);
  const measure = named > 0 && !isCounted(words, at) ? vocabulary.measureAt(words, at, named) : null;
  const measured = measure !== null || (column?.length === named && column.columns.some(isMeasured));
  const whole = column?.columns.some(({ type }) => type === 'integer') ?? false;
  const table = measured && (whole || !isCounted(words, at)) ? 0 : named;
  if (measure && !column) marks.push({ kind: 'column', ...general([measure]), ...take(named) });
  if (table > 0) marks.push({ kind: 'table', key: vocabulary.keyAt(words, at), ...take(table) });
  const amount = amountAt(words, at, vocabulary.units);
  if (amount) marks.push({ kind: 'amount', amount: amount.amount, ...take(amount.length) });
  const time = timeAt(words, at);
  if (time) {
    const place = take(time.length);
    const chosen =
      time.kind === 'twofold'
        ? chosenOf(
            vocabulary.table,
            textOf(place.words),
            time.periods.map((period) => [period.label, period]),
            'time',
          )
        : null;
    marks.push(chosen ? { kind: 'period', period: chosen[1], ...place } : { ...time, ...place });
  }
  const relative = vocabulary.today === null ? null : relativeAt(words, at);
  if (relative) {
    const period = periodOf(relative.relative, vocabulary.today!, first);
    marks.push({ kind: 'period', period, relative: true, ...take(relative.length) });
  }
  const truth = truthOf(first);
  if (truth !== undefined) marks.push({ kind: 'truth', value: truth, ...take(1) });
  const noun = table === 0 && !measured ? vocabulary.nouns.at(words, at) : null;
  if (noun) marks.push({ kind: 'table', key: null, ...(noun.sure ? {} : { guessed: true }), ...take(1) });
  const plain = words.slice(at, at + 4).map((word) => (word.quoted ? '"' : word.plain));
  const adjective = adjectiveAt(plain, vocabulary.table.columns, first.language) ?? ofAge(plain, first, vocabulary);
  if (adjective?.adjective.form === 'plain')
    marks.push({ kind: 'column', ...general(adjective.adjective.columns), ...take(adjective.length) });
  // "Sold best" is said of pieces or money, never of ratings.
  else if (adjective && !(/^(?:best|worst)$/.test(first.plain) && at > 0 && trades(words[at - 1]!)))
    marks.push({ kind: 'adjective', adjective: adjective.adjective, ...take(adjective.length) });
  marks.push(
    ...meaningsAt(words, at, LONGEST_PHRASE).filter(
      // What is best is told by a column of ratings where there is one.
      (mark) => (mark.kind !== 'unit' || noun === null) && !('judged' in mark && adjective !== null),
    ),
  );
  // The lists of general words are English and Arabic: "die" is no death in German.
  if (first.language === 'en' && marks.every(({ kind }) => kind === 'table'))
    marks.push(...generalMarks(first, vocabulary.table, take(1)));
  // Those that are counted are rows, as long as these say what was taken in with each.
  const takings = marks.length === 0 ? saidTakings(first, vocabulary.table) : null;
  if (takings && isCounted(words, at)) marks.push({ kind: 'table', key: null, guessed: true, ...take(1) });
  else if (takings) marks.push({ kind: 'column', ...general([takings]), ...take(1) });
  const loose = looseName(words, at, vocabulary, column?.length ?? 0);
  // One word that is part of a name only where it means nothing else.
  if (loose && (loose.words.length > 1 || marks.length === 0)) marks.push(loose);
  const pieces = marks.length === 0 && saysPieces(words, at) ? quantityOf(vocabulary.table) : null;
  if (pieces) marks.push({ kind: 'column', ...general([pieces]), ...take(1) });
  const paid = marks.length === 0 && isSpending(first) ? vocabulary.arithmetic.takings : null;
  if (paid) marks.push({ kind: 'column', ...general([paid]), verb: true, ...take(1) });
  if (marks.length === 0) marks.push(...verbMarks(words, at, vocabulary, take(1)));
  else if (closesVerb(words, at)) marks.push({ kind: 'aside', ...take(1) });
  tellDone(marks, words, at, vocabulary);
  const aged = ofBareAge(marks, words, at, vocabulary, (place) => namesFigure(words, place, vocabulary));
  const elapsed = [...elapsedMarks(words, at, vocabulary), ...(aged ? [aged] : [])].filter(
    ({ kind }) => kind !== 'adjective' || adjective === null || aged !== null,
  );
  // "Over 30 years old", "within 2 days"
  if (elapsed.some(({ kind }) => kind === 'adjective' || kind === 'compare'))
    marks = marks.filter(({ kind }) => kind !== 'compare' && kind !== 'preposition');
  // "Shipped late" says more than that it was shipped.
  if (elapsed.some((mark) => mark.kind === 'sign' && mark.named === true))
    marks = marks.filter(({ kind }) => kind !== 'column');
  const known = marks.filter(({ kind }) => kind === 'column' || kind === 'value').map((mark) => mark.words.length);
  marks.push(...elapsed, ...arithmeticMarks(words, at, vocabulary, Math.max(0, ...known)));
  const soldOut = soldOutAt(words, at, vocabulary);
  if (soldOut) marks.push({ kind: 'sign', columns: soldOut.columns, op: '<=', ...take(soldOut.length) });
  const worth = worthAt(words, at, vocabulary);
  if (worth)
    marks.push({
      kind: 'column',
      ...general([worth.column]),
      ...(worth.each && { each: worth.each }),
      ...take(worth.length),
    });
  const person = marks.length === 0 && !isPlaced(words[at - 1]) ? vocabulary.personAt(words, at) : null;
  if (person) marks.push({ kind: 'value', ...person, ...take(1) });
  return wholeOnly(words, at, byTime(marks, words[at - 1]));
}

/** Whether what stands there may be the name of a figure, or a verb of one. */
function namesFigure(words: readonly Word[], at: number, vocabulary: Vocabulary): boolean {
  if (words[at] === undefined) return false;
  return marksAt(words, at, vocabulary).some(
    (mark) => mark.kind === 'column' && [...mark.columns, ...(mark.family ?? [])].some(isMeasured),
  );
}

/** Adds what the words say of the dates on which something was done. */
function tellDone(marks: Mark[], words: readonly Word[], at: number, { table, today }: Vocabulary): void {
  const adverb = adverbAt(words, at, table, today);
  if (adverb) {
    const stretch = { words: words.slice(at, at + adverb.length), at };
    marks.push(adverb.not ? { kind: 'not', empty: false, ...stretch } : { kind: 'aside', ...stretch });
  }
  const isSaid = marks.every(
    (mark) =>
      mark.kind === 'aside' ||
      (mark.kind === 'column' && !mark.columns.some((column) => isYesOrNo(column) || isNumeric(column))),
  );
  const done = isSaid ? doneAt(words, at, table, today) : null;
  if (!done || (!done.known && marks.some(({ kind }) => kind === 'column'))) return;
  const columns = marks.filter((mark) => mark.kind === 'column' && mark.words.length === 1);
  for (const mark of columns) if (mark.kind === 'column') mark.done = done;
  if (columns.length === 0) marks.push({ kind: 'column', ...general(done.dates), done, words: [words[at]!], at });
}

function general(columns: AskedColumn[]): { columns: AskedColumn[]; family: AskedColumn[]; general: true } {
  return { columns, family: columns, general: true };
}

/** "Which city is it in": no value that is written otherwise. */
function isLoosePreposition(words: readonly Word[], at: number, { exact, length }: ValueMatch): boolean {
  const { text, quoted } = words[at]!;
  const isLast = at === words.length - 1 && length === 1 && words.length > 1;
  if (!isLast || exact || quoted || /\p{Lu}/u.test(text)) return false;
  return leads(words[at]!) && !leads(words[at - 1]!);
}

/** "In Lee" is about a place that the table does not have, and nobody of that name. */
function isPlaced(before: Word | undefined): boolean {
  if (before === undefined || before.quoted) return false;
  const meanings = lexiconOf(before.language).get(before.plain) ?? [];
  const isLeading = meanings.some(({ kind }) => ['preposition', 'from', 'until', 'compare', 'not'].includes(kind));
  return isLeading && !/^(?:of|by|for|von|für|de|pour|para|di|per|van|voor|لدي)$/.test(before.plain);
}

function leads({ language, plain }: Word): boolean {
  return (
    lexiconOf(language)
      .get(plain)
      ?.some(({ kind }) => kind === 'preposition') ?? false
  );
}

/** What a word that means nothing else may do as a verb. */
function verbMarks(
  words: readonly Word[],
  at: number,
  vocabulary: Vocabulary,
  place: { words: Word[]; at: number },
): Mark[] {
  const { table } = vocabulary;
  const acted = actedColumns(words, at, table);
  // «Wie viel wurde verkauft» is not about the «Verkäufer», nor is «wer hat am meisten verkauft» about them alone.
  const isAsked =
    !trades(words[at]!) ||
    !acted.every(({ type }) => type === 'text') ||
    (asksWho(words) && !words.some((word) => isSuperlative(word)));
  // "Who ordered the most", where orders have numbers: it asks for none of these.
  const numbers = acted.length > 0 && acted.every((column) => column.numbers === true || isTime(column));
  const says = numbers && trades(words[at]!) && !choosesDate(words, at, table) && isLight(words, at, table);
  if (acted.length > 0 && isAsked)
    return [
      { kind: 'column', ...general(acted), verb: true, ...place },
      ...(says ? [{ kind: 'aside' as const, ...place }] : []),
    ];
  if (choosesDate(words, at, table)) return [];
  const marks: Mark[] = isLight(words, at, table) ? [{ kind: 'aside', ...place }] : [];
  const much = askingHowMuch(words) > 0 || words.some((word) => isSuperlative(word));
  const measured = measuredColumns(words[at]!, table, asksForThing(words, vocabulary), much);
  if (measured.length > 0) marks.push({ kind: 'column', ...general(measured), verb: true, ...place });
  return marks;
}

/** "How much tea", "the most tea": of a thing, rather than of the money for it. */
function asksForThing(words: readonly Word[], vocabulary: Vocabulary): boolean {
  const much = askingHowMuch(words);
  return words.some((word, at) => {
    const before = words[at - 1];
    if (!before || (at !== much && !isSuperlative(before))) return false;
    return vocabulary.valueAt(words, at) !== null;
  });
}

function isSuperlative({ plain, language, quoted }: Word): boolean {
  if (quoted) return false;
  const meanings = lexiconOf(language).get(plain) ?? [];
  return meanings.some(
    (meaning) => meaning.kind === 'aggregate' && (meaning.aggregate === 'max' || meaning.aggregate === 'min'),
  );
}

/** "Units"; "items" may be those that rows list, unless they are sold or are so many in one. */
function saysPieces(words: readonly Word[], at: number): boolean {
  const { norm, language } = words[at]!;
  if (language !== 'en') return false;
  return (
    /^(?:units?|pieces?)$/.test(norm) || (/^items?$/.test(norm) && (words.some(trades) || isAmountCompared(words, at)))
  );
}

/** "More than 4 items" */
function isAmountCompared(words: readonly Word[], at: number): boolean {
  return (
    /^(?:than|least|most|over|under|exactly)$/.test(words[at - 2]?.plain ?? '') &&
    amountAt(words, at - 1, NO_UNITS) !== null
  );
}

function asksWho(words: readonly Word[]): boolean {
  return words.some(({ plain, language, quoted }) => {
    if (quoted) return false;
    const meanings = lexiconOf(language).get(plain) ?? [];
    return plain === 'who' || meanings.some((meaning) => meaning.kind === 'opener' && meaning.who === true);
  });
}

function isNameOfRow({ type, unique, numbers }: AskedColumn): boolean {
  return numbers === true || (type === 'text' && unique === true);
}

/** "Order 17", "order B017": one of them, by its number. */
function isNumbered(
  words: readonly Word[],
  behind: number,
  columns: readonly AskedColumn[],
  vocabulary: Vocabulary,
): boolean {
  if (words[behind] === undefined || columns.every(({ numbers }) => numbers !== true)) return false;
  if (columns.some(isNumeric)) return amountAt(words, behind, NO_UNITS) !== null;
  return vocabulary.valueAt(words, behind)?.found.some(({ column }) => columns.includes(column)) ?? false;
}

/** Behind "how many": things are counted. */
function isCounted(words: readonly Word[], at: number): boolean {
  return [1, 2, 3, 4].some((length) => {
    const phrase = words.slice(Math.max(0, at - length), at).map(({ plain }) => plain);
    const meanings = lexiconOf(words[at]!.language).get(phrase.join(' ')) ?? [];
    return meanings.some((meaning) => meaning.kind === 'aggregate' && meaning.aggregate === 'count');
  });
}

/** "Which product has the highest price", «los 2 productos más caros» */
function isChosen(words: readonly Word[], at: number): boolean {
  const before = words[at - 1];
  if (!before || before.quoted) return false;
  const meanings = lexiconOf(before.language).get(before.plain) ?? [];
  return meanings.some(({ kind }) => kind === 'which') || amountAt(words, at - 1, NO_UNITS)?.length === 1;
}

/** What a general word stands for. */
function generalMarks(word: Word, table: AskedTable, place: Pick<Mark, 'words' | 'at'>): Mark[] {
  const marks: Mark[] = [];
  const column = saidOf(table, word);
  if (column) marks.push({ kind: 'column', columns: [column], family: [column], general: true, ...place });
  const sex = sexOf(table, word);
  if (sex) marks.push({ kind: 'value', found: [sex], length: 1, exact: false, joined: false, ...place });
  const death = deathOf(table, word);
  if (death) marks.push({ kind: 'event', column: death, ...place });
  return marks;
}

function isMatched(words: readonly Word[], at: number): boolean {
  return [1, 2, 3, 4].some((length) => {
    const phrase = words.slice(Math.max(0, at - length), at).map(({ plain }) => plain);
    return (
      lexiconOf(words[at]!.language)
        .get(phrase.join(' '))
        ?.some(({ kind }) => kind === 'matches') ?? false
    );
  });
}

function looseName(words: readonly Word[], at: number, vocabulary: Vocabulary, named: number): Mark | null {
  const loose = vocabulary.looseAt(words, at);
  if (!loose || loose.length <= named) return null;
  const own = words.slice(at, at + loose.length);
  const meant = standsFor(loose, own).filter((column) => loose.whole || !isKey(column));
  // "Due this month" of `due_date`
  const [only, ...others] = loose.columns;
  const timed = only && isTime(only) && others.length === 0 && leadsToTime(words, at + loose.length, vocabulary);
  const columns = meant.length === 0 && timed ? [only] : meant;
  return { kind: 'column', columns, ...(loose.whole ? {} : { family: loose.columns }), words: own, at };
}

/** Whether a time follows at once, or behind "in", "on", "before". */
function leadsToTime(words: readonly Word[], at: number, { today }: Vocabulary): boolean {
  const isTimeAt = (place: number) =>
    place < words.length && (timeAt(words, place) !== null || (today !== null && relativeAt(words, place) !== null));
  const leading = meaningsAt(words, at, LONGEST_PHRASE).some(({ kind }) =>
    ['preposition', 'from', 'until', 'compare', 'between'].includes(kind),
  );
  return isTimeAt(at) || (leading && isTimeAt(at + 1));
}

function groups(word: Word | undefined): boolean {
  if (word === undefined || word.quoted) return false;
  const meanings = lexiconOf(word.language).get(word.plain) ?? [];
  return GROUPING.has(word.norm) || (word.language !== 'en' && meanings.some(({ kind }) => kind === 'by'));
}

/** "By year" of the date that is called so: its years. */
function byTime(marks: Mark[], before: Word | undefined): Mark[] {
  if (!groups(before) || !marks.some(({ kind }) => kind === 'unit')) return marks;
  return marks.filter((mark) => mark.kind !== 'column' || !mark.columns.some(isTime));
}

/** `total_cost` is one name where there is such a name. */
function wholeOnly(words: readonly Word[], at: number, marks: Mark[]): Mark[] {
  let length = 1;
  while (words[at + length - 1]?.glued) length++;
  const whole = marks.filter(
    (mark) => mark.words.length >= length && (mark.kind === 'column' || mark.kind === 'value'),
  );
  return length > 1 && whole.length > 0 ? whole : marks;
}

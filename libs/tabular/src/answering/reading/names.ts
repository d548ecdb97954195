import type { AskedColumn } from '../asked-table.js';
import { isNumeric, isTime, labelOf } from './reading.js';
import { lexiconOf } from './lexicon.js';
import { LANGUAGE_CODES } from './lexicon/languages.js';
import { isLongFor, isShortFor } from './short-names.js';
import { stemOf } from './stems.js';
import { fold, nameWords, sameWord, type Word } from './words.js';

/** The columns that a stretch of a question names in other words than their own, all of whose words are part of the name. */
export interface LooseName {
  columns: AskedColumn[];
  length: number;
  /** Whether every word of the name that tells anything is said. */
  whole: boolean;
}

/** Words of a name that say nothing of what is in it. */
const SILENT = new Set(['of', 'the', 'in', 'and', 'for', 'a', 'an', 'per', 'by', 'to', 'is', 'was', 'at', 'on']);

/** Words for the extremes, in their forms within names. */
const EXTREMES: Record<string, string> = { highest: 'max', lowest: 'min', maximum: 'max', minimum: 'min' };

/**
 * What a thing has: an `order_status` is no order, but a `customer_name` stands for the customer.
 */
const ATTRIBUTES = new Set(
  `type types status state size category class kind date time day month year age gender sex email mail phone address city
   country region zip postcode price cost costs amount quantity qty count number no code id rating score level group segment rate
   percent color colour weight height length width value total sum share code currency unit method mode channel source reason
   description comment comments note notes url link flag start end period duration language width depth version birth birthday
   حاله نوع فئه تاريخ عمر جنس مدينه بلد سعر كميه مبلغ رقم`
    .split(/\s+/)
    .filter(Boolean),
);

/** Finds columns by a part of their names, or by their words in another order. */
export class LooseNames {
  private readonly names: { parts: string[]; column: AskedColumn }[];

  constructor(columns: readonly AskedColumn[]) {
    this.names = columns.map((column) => ({ parts: partsOf(column).filter((part) => !SILENT.has(part)), column }));
  }

  /** @returns the columns of the longest stretch; null when no name has the first word */
  at(words: readonly Word[], at: number): LooseName | null {
    let best: { columns: AskedColumn[]; length: number; said: number; whole: boolean } | null = null;
    for (const { parts, column } of this.names) {
      const left = [...parts];
      let length = 0;
      let said = 0;
      let headOnly = false;
      for (let next = at; next < Math.min(words.length, at + 8); next++) {
        const { norm, quoted } = words[next]!;
        if (quoted) break;
        if (SILENT.has(norm) && said > 0) continue;
        const found = left.findIndex((part) => isPart(words[next]!, part));
        if (found < 0) break;
        headOnly ||= !isWord(words[next]!, left[found]!);
        left.splice(found, 1);
        said++;
        length = next - at + 1;
      }
      if (said === 0) continue;
      const whole = left.length === 0 && !headOnly;
      const better = !best || said > best.said || (said === best.said && whole && !best.whole);
      if (better) best = { columns: [column], length, said, whole };
      else if (best && said === best.said && whole === best.whole) best.columns.push(column);
    }
    return best && { columns: best.columns, length: best.length, whole: best.whole };
  }
}

/** Shorter words end too many others. */
const SHORTEST_HEAD = 4;

/** «Betrag» of «Nettobetrag»: what a compound is at its end, in the languages that write them in one word. */
function isHeadOf({ norm, plain, language }: Word, part: string): boolean {
  if (language !== 'de' && language !== 'nl') return false;
  return [norm, fold(stemOf(plain, language))].some(
    (head) =>
      head.length >= SHORTEST_HEAD &&
      part.length >= head.length + 3 &&
      part.endsWith(head) &&
      !isReckoned(part.slice(0, -head.length)),
  );
}

/** Words of reckoning at the beginning of compounds are no sums: «Gesamtbetrag» is the «Betrag» of a row. */
const OF_ALL: ReadonlySet<string> = new Set(['sum', 'count']);

/** Whether the word says that figures of a column are averages or extremes already: the sum of `Gasto medio` is nobody's «gasto». */
export function isReckoned(word: string): boolean {
  // «Gasto total» is a question in English, too, and the names are Spanish.
  return LANGUAGE_CODES.some((language) =>
    lexiconOf(language)
      .get(word)
      ?.some((meaning) => meaning.kind === 'aggregate' && !OF_ALL.has(meaning.aggregate)),
  );
}

function isPart(word: Word, part: string): boolean {
  return isWord(word, part) || isHeadOf(word, part);
}

function isWord({ norm: word }: Word, part: string): boolean {
  if (sameWord(word, part)) return true;
  return isLongFor(word, part) || EXTREMES[word] === part || isShortFor(word, part);
}

/**
 * The one column that the words can stand for by themselves: `airline` for `aircraft_airline_operator`, but not `order` for
 * `order_status`. Numbers are named by their last word, or by the first of those that count: `speed_in_knots`.
 */
export function standsFor({ columns, whole }: LooseName, words: readonly Word[]): AskedColumn[] {
  if (whole) return columns;
  return columns.filter((column) => {
    const parts = partsOf(column);
    const last = Math.max(...words.map((word) => parts.findIndex((part) => isPart(word, part))));
    const behind = parts.slice(last + 1).filter((part) => !SILENT.has(part));
    if (behind.length === 0) return true;
    if (isNumeric(column) && behind.some((part) => isReckoned(part))) return false;
    if (isNumeric(column)) return words.every(({ norm, text }) => parts.includes(norm) && !/^\p{Lu}/u.test(text));
    return !isTime(column) && !behind.some((part) => ATTRIBUTES.has(part));
  });
}

/** Words behind which a name says what the thing itself is called. */
const NAMING = new Set(['name', 'names', 'title', 'label', 'id', 'اسم']);

/** What is counted in, at the end of a name: `consumption_kwh`, "Area km2". */
const UNITS = new Set(
  `kwh mwh gwh wh kw mw w km km2 m m2 m3 cm mm mi ft sqft sqm ha kg g t lb lbs oz l ml usd eur gbp chf bn mn mm k ms s sec secs seconds
   min mins minutes h hr hrs hours days c f celsius fahrenheit pct percent kmh mph hpa mb gb kb tb`
    .split(/\s+/)
    .filter(Boolean),
);

/** Whether the words are the end of the name, or all but its "name" or its unit. */
export function isHead(column: AskedColumn, words: readonly Word[]): boolean {
  const parts = partsOf(column).filter((part) => !SILENT.has(part));
  const last = Math.max(...words.map((word) => parts.findLastIndex((part) => isPart(word, part))));
  const behind = parts.slice(last + 1);
  const isUnit = isNumeric(column) && behind.every((part) => UNITS.has(part));
  return last >= 0 && (isUnit || behind.every((part) => NAMING.has(part)));
}

function partsOf(column: AskedColumn): readonly string[] {
  return nameWords(labelOf(column).replace(/[([][^)\]]*[)\]]/g, ' '));
}

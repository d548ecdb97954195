import { coerceValue, type CellValue, type TableColumn } from '../kit.js';
import { sameValue } from './same-value.js';

/**
 * How a quote says a value: `says`, it can be read off the words; `implies`, it is a judgement over them, as yes or no and
 * a choice may be; `no`.
 */
export type Support = 'says' | 'implies' | 'no';

/** Words that one date or number may take, `12. March 2024, 14:30 Uhr` among them. */
const MOST_WORDS = 8;
/** Longer quotes are searched no further: the rules ask for short ones. */
const MOST_STARTS = 120;

/**
 * Whether the words of the document say the value: a quote that stands in the document and says something else is no proof.
 * Numbers, dates, addresses and account numbers have to be read off it; digits of a text have to stand in it.
 */
export function saysValue(column: TableColumn, value: CellValue, quote: string): Support {
  if (value === null) return 'no';
  if (Array.isArray(value)) return weakest(value.map((one) => saysText(column, one, quote)));
  if (typeof value === 'object') return weakest(leavesOf(value).map((one) => saysText(column, one, quote)));
  if (typeof value === 'boolean') return quote === '' ? 'no' : 'implies';
  if (typeof value === 'number') return readsOff(column, value, quote) ? 'says' : 'no';
  if (column.format !== null) return readsOff(column, value, quote) ? 'says' : 'no';
  return saysText(column, value, quote);
}

function saysText(column: TableColumn, value: CellValue, quote: string): Support {
  if (value === null || typeof value === 'boolean') return 'implies';
  const wanted = key(String(value));
  if (wanted === '') return 'no';
  const said = key(quote);
  if (holdsWords(said, wanted)) return 'says';
  if (typeof value === 'number') return readsOff({ ...column, outputType: 'number' }, value, quote) ? 'says' : 'no';
  const digits = wanted.match(/\p{Nd}+/gu) ?? [];
  const here = new Set(said.match(/\p{Nd}+/gu));
  if (column.outputType === 'list' && column.format !== null && readsOff(column, [value], quote)) return 'says';
  if (digits.some((run) => !here.has(run))) return 'no';
  // A choice is a judgement; an identifier is none: all that it is made of has to be there.
  if (column.enum !== null) return 'implies';
  if (digits.length > 0) return holdsAll(said, wanted) ? 'says' : 'no';
  return holdsAll(said, wanted) ? 'says' : 'implies';
}

/** Whether some words of the quote, read as the column reads, are the value. */
function readsOff(column: TableColumn, value: CellValue, quote: string): boolean {
  const open: TableColumn = { ...column, enum: null };
  if (isIt(open, value, quote)) return true;
  const words = quote.split(/\s+/).filter((word) => word !== '');
  for (let start = 0; start < Math.min(words.length, MOST_STARTS); start += 1)
    for (let count = Math.min(MOST_WORDS, words.length - start); count > 0; count -= 1) {
      const text = bare(words.slice(start, start + count).join(' '));
      const times = typeof value === 'number' ? timesOf(words[start + count]) : 1;
      if ((times === 1 || countsIn(column)) && isIt(open, value, text)) return true;
      if (times > 1 && isIt(open, Number((Number(value) / times).toPrecision(12)), text)) return true;
    }
  return false;
}

/** Behind a number, in the languages that documents are mostly in: `1.5 million`, `2,5 Mio.`, `3 milliards`. */
const SCALES: readonly [RegExp, number][] = [
  [/^(?:thousand|tausend|tsd|mille|mil|mila|duizend)$/i, 1e3],
  [/^(?:mn|mio|mln|mill?ion(?:en|s|es|i)?|mill[oó]n|millones|milione|milioni|milh(?:ão|ões)|miljoen)$/i, 1e6],
  [/^(?:bn|mrd|mld|billions?|milliarden?|milliards?|miliard[oi]|miljard)$/i, 1e9],
];

function timesOf(word: string | undefined): number {
  const plain = bare(word ?? '').replace(/\.$/, '');
  return SCALES.find(([scale]) => scale.test(plain))?.[1] ?? 1;
}

/** `Revenue (million EUR)` holds the number as it is written before the word. */
function countsIn({ name, instruction }: TableColumn): boolean {
  return `${name} ${instruction}`.split(/[\s().,]+/).some((word) => timesOf(word) > 1);
}

/** Both ways of writing decimals and days: what the document means is decided where the value is read. */
const HINTS = [{}, { decimal: ',' }, { decimal: '.' }, { dayFirst: true }, { dayFirst: false }] as const;

function isIt(column: TableColumn, value: CellValue, text: string): boolean {
  return HINTS.some((hints) => {
    const read = coerceValue(column, text, hints);
    return 'value' in read && sameValue(read.value, value);
  });
}

/** Without the marks of a sentence around it. */
const bare = (text: string) => text.replace(/^[\s"'„“”«»([:;,|]+|[\s"'„“”«»)\]:;,.|]+$/gu, '');

const key = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();

/** The same words in one piece; never a part of a word, least of all of a number. */
function holdsWords(said: string, wanted: string): boolean {
  for (let at = said.indexOf(wanted); at !== -1; at = said.indexOf(wanted, at + 1))
    if (isEdge(said, at) && isEdge(said, at + wanted.length)) return true;
  return false;
}

const WORD = /[\p{L}\p{Nd}]/u;
const NUMERAL = /\p{Nd}[.,]$/u;

function isEdge(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const before = text[at - 1]!;
  const after = text[at]!;
  // `450` is not in `1,450`, nor `12` in `12.50`.
  if (/\p{Nd}/u.test(after) && NUMERAL.test(text.slice(0, at))) return false;
  if (/[.,]/.test(after) && /\p{Nd}/u.test(before) && /\p{Nd}/u.test(text[at + 1] ?? '')) return false;
  return !(WORD.test(before) && WORD.test(after));
}

function holdsAll(said: string, wanted: string): boolean {
  const words = new Set(said.match(/[\p{L}\p{Nd}]+/gu));
  return (wanted.match(/[\p{L}\p{Nd}]+/gu) ?? []).every((word) => words.has(word));
}

function leavesOf(value: CellValue): CellValue[] {
  if (value === null || typeof value !== 'object') return [value];
  return Object.values(value).flatMap(leavesOf);
}

function weakest(supports: readonly Support[]): Support {
  if (supports.length === 0 || supports.includes('no')) return 'no';
  return supports.includes('implies') ? 'implies' : 'says';
}

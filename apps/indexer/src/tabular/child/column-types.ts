import { DAY_FIRST, ISO, MONTH_FIRST, OTHER_DATES } from './date-readings.js';
import { quoteText } from './names.js';
import { NAMED_DATES } from './named-dates.js';
import { plainSigns, SURE_POINT, withoutSurePoint } from './number-text.js';
import { matches, matchesAnd, type Reading } from './reading-sql.js';

/**
 * What means "no value" in a column of another type than text, as tables of several countries have it. Never "n.d.", "n.n."
 * or "< 0.1", which say in a laboratory that there was too little to measure: no number, and not nothing either.
 */
const NOTHING =
  '(null|n\\.? ?/? ?a\\.?|nan|none|nil|-{1,3}|—|–|−|\\?{1,3}|\\.{1,3}|…|#n/?[av]|#null!|#value!|#ref!|#div/0!|' +
  'unknown|missing|not (known|available|applicable)|tb[adc]|' +
  'k\\.? ?a\\.?|keine? (angaben?|daten|wert)|n\\. ?[bv]\\.|unbekannt|fehlt|fehlend|entfällt|' +
  'n\\. ?c\\.|inconnue?|non (disponible|communiquée?|renseignée?)|' +
  's/d|s\\. ?d\\.|sin datos?|no disponible|desconocid[oa]|non disponibile|sconosciut[oa]|' +
  'n\\. ?v\\. ?t\\.|nvt|onbekend|niet bekend|sem dados|não disponível|desconhecid[oa]|' +
  'b\\. ?d\\.|brak( danych)?|nie dotyczy|bilinmiyor|yok|нет данных|н/д|غير متوفر)';
const LONGEST_NOTHING = 18;

// A number of more digits than a double keeps is a name of something; so is one that begins with 0 or +.
const WHOLE = '(0|[1-9][0-9]{0,17})';
const FRACTION = '(\\.[0-9]{0,30})';

const PLAIN: Reading[] = [
  {
    type: 'boolean',
    fits: (v) => `lower(${v}) IN ('true', 'false')`,
    value: (v) => `lower(${v}) = 'true'`,
  },
  { type: 'integer', fits: (v) => matches(v, `-?${WHOLE}`), value: (v) => `CAST(${v} AS BIGINT)` },
  {
    type: 'number',
    decimal: 'point',
    fits: (v) =>
      matchesAnd(
        v,
        `-?(${WHOLE}${FRACTION}?|\\.[0-9]{1,30})([eE][-+]?[0-9]{1,3})?`,
        `coalesce(isfinite(TRY_CAST(${v} AS DOUBLE)), false)`,
      ),
    value: (v) => `CAST(${v} AS DOUBLE)`,
  },
];

/** Of numbers that are numbers in the file, or whose signs have one meaning only. */
const SURE: Reading = {
  type: 'number',
  fits: (v) =>
    matchesAnd(
      v,
      `-?(${WHOLE}|[1-9][0-9]{0,2}('[0-9]{3}){1,5})(${SURE_POINT}[0-9]{0,30})?([eE][-+]?[0-9]{1,3})?`,
      `coalesce(isfinite(TRY_CAST(${sureText(v)} AS DOUBLE)), false)`,
    ),
  value: (v) => `CAST(${sureText(v)} AS DOUBLE)`,
};

function sureText(v: string): string {
  return `replace(${withoutSurePoint(v)}, '''', '')`;
}

const WITHOUT_COMMAS = (v: string) => `replace(${v}, ',', '')`;
const ENGLISH: Reading[] = [
  {
    type: 'integer',
    decimal: 'point',
    fits: (v) => matches(v, '-?(0|[1-9][0-9]{0,2}(,[0-9]{3}){0,5})'),
    value: (v) => `CAST(${WITHOUT_COMMAS(v)} AS BIGINT)`,
  },
  {
    type: 'number',
    decimal: 'point',
    fits: (v) => matches(v, `-?(0|[1-9][0-9]{0,2}(,[0-9]{3}){0,5}|[1-9][0-9]{0,17})${FRACTION}?`),
    value: (v) => `CAST(${WITHOUT_COMMAS(v)} AS DOUBLE)`,
  },
];

const CONTINENTAL: Reading[] = [
  {
    type: 'number',
    decimal: 'comma',
    fits: (v) => matches(v, '-?(0|[1-9][0-9]{0,2}(\\.[0-9]{3}){0,5}|[1-9][0-9]{0,17})(,[0-9]{1,30})?'),
    value: (v) => `CAST(replace(replace(${v}, '.', ''), ',', '.') AS DOUBLE)`,
  },
];

/** How the cells of a column are written. */
export interface Writing {
  /** Whether some have blanks around what they say. */
  padded: boolean;
  /** Whether some have other digits or signs than those of ASCII. */
  otherSigns: boolean;
}

/** What stands in every value of a column. */
export interface Signs {
  digits: boolean;
  /** Something else than digits and what parts them. */
  words: boolean;
}

/**
 * Every reading that such signs leave, in the order of preference; the first that fits all values of a column is taken.
 */
export function readingsFor(delimiter: string, { otherSigns }: Writing, { digits, words }: Signs): Reading[] {
  if (!digits) return PLAIN.filter(({ type }) => type === 'boolean');
  // Where cells are parted by semicolons, commas are decimal.
  const grouped = delimiter === ';' ? [...CONTINENTAL, ...ENGLISH] : [...ENGLISH, ...CONTINENTAL];
  const sure = otherSigns ? [SURE] : [];
  const named = words ? NAMED_DATES : [];
  return [...PLAIN, ...sure, ...grouped, ...ISO, ...OTHER_DATES, ...named, ...DAY_FIRST, ...MONTH_FIRST];
}

/** What the other columns of a file tell; null where they tell nothing, or both. */
export interface Habits {
  decimal: 'point' | 'comma' | null;
  /** What stands first in a date of three numbers. */
  first: 'day' | 'month' | null;
}

/**
 * The reading to take of those that fit all values. "03/04/2024" and "1.234" throughout are read as the rest of the file
 * is written; where nothing tells the day from the month, the date stays text: a wrong date is worse than none.
 */
export function chooseReading(fitting: readonly Reading[], habits: Habits): Reading | null {
  const [first] = fitting;
  if (first === undefined) return null;
  if (DAY_FIRST.includes(first) && fitting.length > 1)
    return fitting.find((reading) => orderOf(reading) === habits.first) ?? null;
  if (first.decimal === undefined || habits.decimal === null) return first;
  return fitting.find(({ decimal }) => decimal === habits.decimal) ?? first;
}

/**
 * Whether nothing but custom tells a point from a sign between groups, and the custom is another one: "1.234" throughout is
 * 1.234 to programs, but where cells are parted by semicolons, commas are decimal.
 */
export const isDoubtful = (
  fitting: readonly Reading[],
  habits: Habits,
  { delimiter }: { delimiter: string },
): boolean =>
  delimiter === ';' &&
  habits.decimal === null &&
  fitting[0]?.type === 'number' &&
  fitting[0].decimal === 'point' &&
  fitting.some(({ decimal }) => decimal === 'comma');

/** What has to be tried together so that `chooseReading` can decide. */
export function nextToTry(candidates: readonly Reading[]): Reading[] {
  const [first] = candidates;
  if (first === undefined) return [];
  if (first.decimal !== undefined)
    return [first, ...candidates.filter(({ decimal }) => decimal !== undefined && decimal !== first.decimal)];
  const rivals = DAY_FIRST.includes(first) ? candidates.filter((reading) => MONTH_FIRST.includes(reading)) : [];
  return [first, ...rivals.filter(({ type }) => type === first.type)];
}

/** What the columns of a file tell of how it is written, by the readings that fit each. */
export function habitsOf(columns: readonly (readonly Reading[])[]): Habits {
  return { decimal: agreed(columns.map(signOf)), first: agreed(columns.map(firstOf)) };
}

function agreed<T>(told: readonly (T | null)[]): T | null {
  const different = new Set(told.filter((one) => one !== null));
  return different.size === 1 ? [...different][0]! : null;
}

function signOf(fitting: readonly Reading[]): Habits['decimal'] {
  const signs = new Set(fitting.flatMap(({ decimal }) => decimal ?? []));
  const [only] = signs;
  // Whole numbers fit either.
  return signs.size === 1 && !fitting.some((reading) => reading === PLAIN[1]) ? only! : null;
}

const firstOf = (fitting: readonly Reading[]): Habits['first'] => agreed(fitting.map(orderOf));

function orderOf(reading: Reading): Habits['first'] {
  if (DAY_FIRST.includes(reading)) return 'day';
  return MONTH_FIRST.includes(reading) ? 'month' : null;
}

const trimmed = (cell: string) => `nullif(trim(${cell}, ' \t\r\n\u00a0'), '')`;

/** SQL of a cell as it is: NULL when there is nothing in it. */
export const textOf = (cell: string, padded: boolean): string =>
  padded ? `CASE WHEN ${trimmed(cell)} IS NULL THEN NULL ELSE ${cell} END` : cell;

/** The same as people are to read it. @param marked whether numbers of the staged table have sure points */
export const shownTextOf = (cell: string, padded: boolean, marked: boolean): string =>
  marked ? withoutSurePoint(textOf(cell, padded)) : textOf(cell, padded);

/** SQL of a cell as the readings want it: trimmed, NULL for what says that there is no value, digits of ASCII. */
export function valueTextOf(cell: string, { padded, otherSigns }: Writing): string {
  const text = padded ? trimmed(cell) : cell;
  // Not with IN: DuckDB makes a join of a long list, which loses the order of the rows (duckdb#24398).
  const given = `CASE WHEN length(${text}) <= ${LONGEST_NOTHING} AND regexp_full_match(${text}, ${quoteText(NOTHING)}, 'i') THEN NULL ELSE ${text} END`;
  return otherSigns ? trimmed(plainSigns(given)) : given;
}

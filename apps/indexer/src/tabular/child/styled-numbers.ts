import { quoteText } from './names.js';
import type { Reading } from './reading-sql.js';
import { SURE_POINT } from './number-text.js';
import type { Habits } from './column-types.js';
import { hasThousandths, unitKind } from './units.js';

/** SQL of the way a text is written: a `0` stands for each number in it. */
export const skeletonOf = (v: string): string =>
  `regexp_replace(${v}, ${quoteText(`[0-9]([0-9.,'${SURE_POINT} \u00a0]*[0-9])?`)}, '0', 'g')`;

const BLANK = '[ \\x{a0}]';
const AROUND = /[-+()\s\u00a0]/g;

/** What the texts of a column have in common. */
export interface Style {
  /** '' when nothing but signs stands beside the numbers. */
  unit: string;
  /** Whether the unit stands before the numbers. */
  before: boolean;
}

/**
 * The style of a column by the skeletons of its texts.
 * @returns null when not all are numbers; `mixed` when they are, with different units, or some with and some without
 */
export function styleOf(skeletons: readonly string[]): Style | { mixed: string[] } | null {
  const found = new Map<string, boolean>();
  // The database gives them in no order: what is told of a file must not change from one import to the next.
  for (const skeleton of skeletons.toSorted()) {
    const core = skeleton.replace(AROUND, '');
    if (core.split('0').length !== 2) return null;
    const before = !core.startsWith('0');
    if (before && !core.endsWith('0')) return null;
    const unit = core.replace('0', '');
    if (unit !== '' && unitKind(unit) === null) return null;
    found.set(unit, before);
  }
  const units = [...found.keys()].filter((unit) => unit !== '').toSorted();
  if (units.length > 1) return { mixed: units };
  const [unit = ''] = units;
  return { unit, before: found.get(unit) ?? false };
}

const WHOLE = '(0|[1-9][0-9]{0,14})';
const groups = (sign: string) => `[1-9][0-9]{0,2}(${sign}[0-9]{3}){1,4}`;
const INDIAN = '[1-9][0-9]?(,[0-9]{2}){1,5},[0-9]{3}';
const fraction = (sign: string) => `(${sign}[0-9]{0,15})?`;

/** One way of writing a number without its sign and unit. */
interface Grammar {
  pattern: string;
  decimal?: 'point' | 'comma';
  /** SQL of the number as SQL writes it, from one without blanks and apostrophes. */
  plain: (core: string) => string;
  /** Its groups are apart by blanks. */
  blanks?: true;
  /** It has no groups. */
  groupless?: true;
}

export interface StyledReading extends Reading {
  grammar: Grammar;
}

const withPoint = (core: string) => `replace(${core}, ',', '')`;
const withComma = (core: string) => `replace(replace(${core}, '.', ''), ',', '.')`;
const GRAMMARS: Grammar[] = [
  {
    pattern: `(${WHOLE}|${groups("'")})${fraction(SURE_POINT)}([eE][-+]?[0-9]{1,3})?`,
    plain: (core) => `replace(${core}, '${SURE_POINT}', '.')`,
  },
  { pattern: `(${WHOLE}?\\.[0-9]{1,15}|${WHOLE})`, decimal: 'point', plain: withPoint, groupless: true },
  { pattern: `(${WHOLE}|${groups(',')})${fraction('\\.')}`, decimal: 'point', plain: withPoint },
  { pattern: `(${WHOLE}|${groups(',')}|${INDIAN})${fraction('\\.')}`, decimal: 'point', plain: withPoint },
  { pattern: `(${WHOLE}|${groups('\\.')})${fraction(',')}`, decimal: 'comma', plain: withComma },
  { pattern: `(${WHOLE}|${groups(BLANK)})${fraction('\\.')}`, decimal: 'point', plain: withPoint, blanks: true },
  { pattern: `(${WHOLE}|${groups(BLANK)})${fraction(',')}`, decimal: 'comma', plain: withComma, blanks: true },
  { pattern: `(${WHOLE}|${groups("'")})${fraction('\\.')}`, decimal: 'point', plain: withPoint },
  { pattern: `(${WHOLE}|${groups("'")})${fraction(',')}`, decimal: 'comma', plain: withComma },
];

/**
 * Numbers with a unit, in parentheses, with their minus behind, with groups apart by blanks or apostrophes.
 * @param bareToo whether numbers without the unit fit too; then nothing is said of it
 */
export function styledReadings({ unit }: Style, bareToo = false): StyledReading[] {
  return GRAMMARS.map((grammar) => {
    const { pattern, decimal, plain } = grammar;
    const form = formOf(unit, `(?:${pattern})`, bareToo);
    const number = (v: string) => plain(`translate(${coreOf(v, unit)}, '-+() \u00a0''', '')`);
    return {
      grammar,
      type: 'number' as const,
      ...(decimal === undefined ? {} : { decimal }),
      ...(unit === '' || bareToo ? {} : { unit }),
      fits: (v) => `regexp_full_match(${v}, ${quoteText(form)})`,
      value: (v) =>
        `CAST(${number(v)} AS DOUBLE) * CASE WHEN contains(${v}, '(') OR regexp_matches(${v}, '(^|[^eE])-') THEN -1 ELSE 1 END`,
    };
  });
}

const coreOf = (v: string, unit: string) => (unit === '' ? v : `replace(${v}, ${quoteText(unit)}, '')`);

function formOf(unit: string, number: string, bareToo: boolean): string {
  const gap = `${BLANK}?`;
  if (unit === '') return `-?${gap}${number}|${number}${gap}-|\\(${gap}${number}${gap}\\)`;
  const name = unit.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const forms = [
    `[-+]?${gap}${name}${gap}${number}`,
    `${name}${gap}[-+]${gap}${number}`,
    `${name}${gap}${number}${gap}-`,
    `\\(${gap}${name}${gap}${number}${gap}\\)`,
    `${name}${gap}\\(${number}\\)`,
    `[-+]?${gap}${number}${gap}${name}`,
    `${number}-${gap}${name}`,
    `${number}${gap}${name}${gap}-`,
    `\\(${gap}${number}${gap}${name}${gap}\\)`,
    `\\(${number}\\)${gap}${name}`,
    // Nothing is nothing in any unit.
    '0(?:[.,]0*)?',
    ...(bareToo ? [`-?${number}`] : []),
  ];
  return forms.join('|');
}

/** What all values of a styled column say together; SQL aggregates over the text `v`, in the order of `Signs`. */
export function signsOf(v: string): string[] {
  const any = (pattern: string) => `coalesce(bool_or(regexp_matches(${v}, ${quoteText(pattern)})), false)`;
  return [
    any('[.,]'),
    any('(^|[^0-9.,])[1-9][0-9]{0,2}([^0-9.,]|$)'),
    any('[0-9]{4}'),
    any(`[0-9][.,'${SURE_POINT}][0-9]|[0-9]\u00a0[0-9]`),
    any('(^|[^0-9 ])[0-9]{1,2} [0-9]{3}'),
    `coalesce(bool_or(NOT regexp_matches(${v}, '[-(]')), false)`,
  ];
}

/** What is known beside the values themselves. */
export interface Circumstances {
  style: Style;
  /** The values of `signsOf`. */
  signs: readonly boolean[];
  /** Of the file's other columns. */
  sign: Habits['decimal'];
  delimiter: string;
}

/** Of the readings that fit, the one that can be taken without a guess; null when none can. */
export function chooseStyled(fitting: readonly StyledReading[], known: Circumstances): StyledReading | null {
  const [separated, , , sureGroups, blankGroups, unmarked] = known.signs;
  const [first] = fitting;
  if (first === undefined) return null;
  const telling = sureGroups || blankGroups || known.style.unit !== '';
  // "(1)", "(2)" and "1-", "2-" may count things; "912 345 678" throughout may be a telephone number.
  if (!telling && (!unmarked || first.grammar.blanks)) return null;
  const point = fitting.find(({ decimal }) => decimal === 'point');
  const comma = fitting.find(({ decimal }) => decimal === 'comma');
  if (first.decimal === undefined || !separated || point === undefined || comma === undefined) return first;
  return chooseSign(point, comma, known);
}

/** "1.234" or "1,234" throughout: a decimal sign to one reading, a sign between groups to the other. */
function chooseSign(
  point: StyledReading,
  comma: StyledReading,
  { style: { unit, before }, signs, sign, delimiter }: Circumstances,
): StyledReading | null {
  if (sign !== null) return sign === 'point' ? point : comma;
  const [, small, ungrouped] = signs;
  const pointsWritten = point.grammar.groupless === true;
  const money = unitKind(unit) === 'currency' && !hasThousandths(unit);
  // Money has no three decimals where it also has none; "$1,234" is how English writes.
  if (money && small && !ungrouped) return pointsWritten ? comma : point;
  if (money && before && !pointsWritten) return point;
  if (unit === '' && delimiter !== ';') return point;
  // Where commas are decimal, "1.234" has groups if it stands beside "950", and is not read where nothing tells.
  if (unit === '' && (!pointsWritten || (small && !ungrouped))) return comma;
  return null;
}

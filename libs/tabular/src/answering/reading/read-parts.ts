import type { AskedColumn, AskedTable } from '../asked-table.js';
import { askBack, chosenOf, columnOptions, oneColumn } from './asking-back.js';
import { isMeasured } from './conditions.js';
import { FilterReader } from './filters.js';
import { languageNamed } from './lexicon/languages.js';
import { lexiconOf, type Aggregate } from './lexicon.js';
import type { Mark } from './mark-words.js';
import { isMany, isRowEach, takeEdge } from './edges.js';
import { happeningIn, tellsHappenings } from './happenings.js';
import { isYesOrNo } from './yes-no.js';
import { addsUp, namesEachRow } from './measures.js';
import { isHead, isReckoned } from './names.js';
import { Parts } from './parts.js';
import { isOfWhom, isOneEach } from './persons.js';
import { readWhole } from './read-whole.js';
import { isKey, isNumeric, isTime, labelOf, Unclear, isYearColumn } from './reading.js';
import { namesNumbered } from './row-nouns.js';
import { trades } from './trades.js';
import { nameWords, sameWord, textOf } from './words.js';

/** What is there about a thing. */
const LOOKING_UP = /^(?:where|tell me about|what do you know about|information|details|اين)/;

/** @returns null when the words make no question together. @throws Unclear */
export function readParts(marks: readonly Mark[], table: AskedTable): Parts | null {
  const parts = new Parts(table);
  const conditions = new FilterReader(marks, table);
  if (!conditions.read()) return null;
  parts.filters = conditions.filters;
  parts.predicates = conditions.predicates;
  parts.size = conditions.size;
  parts.compares = conditions.compares;
  parts.countsPieces = asksForPieces(marks);
  const { rest } = conditions;
  let grouping = false;
  for (const [at, mark] of rest.entries()) {
    if (mark.kind === 'column') {
      // "The longest beak"
      const before = rest[at - 1];
      if (before?.kind === 'adjective' && meantBy(before.adjective.columns, mark)) continue;
      const [named] = mark.columns;
      // Of orders with several rows each, what all of these come to.
      if (named && !grouping && namesNumbered(named, mark.words) && sumsUp(parts, rest.slice(0, at))) {
        parts.namesTable = true;
        parts.ofThings = true;
      } else if (named && !grouping && mark.columns.length === 1 && isOfRows(parts, named, rest.slice(0, at))) {
        parts.namesTable = true;
      } else if (!takeColumn(parts, mark, grouping, rest[at - 1], rest[at + 1])) return null;
    } else if (!takeMeaning(parts, mark, rest, at)) return null;
    if (mark.kind === 'by') grouping = true;
    else if (!['and', 'article', 'column', 'unit'].includes(mark.kind)) grouping = false;
  }
  if (!readWhole(parts, marks, rest)) return null;
  // "Max temperature" of `temp_max`
  if (parts.aggregates.length === 0 && parts.implied !== null && !parts.top) parts.aggregates.push(parts.implied);
  // "Order 17"
  parts.namesRows ||=
    parts.columns.length + parts.aggregates.length + parts.groups.length === 0 &&
    !parts.asksWho &&
    parts.filters.some(({ kind, column }) => column.numbers === true && (kind === 'values' || kind === 'numbers'));
  return parts;
}

/** "Revenue of": of whatever follows, all of it. */
function sumsUp({ columns, aggregates }: Parts, marks: readonly Mark[]): boolean {
  const [column, ...others] = columns;
  const isAll = aggregates.every((own) => own === 'sum');
  return isLedByOf(marks) && !!column && others.length === 0 && isSummedUp(column) && isAll;
}

/** "Average satisfaction of respondents", of whom each row is one. */
function isOfRows({ columns, aggregates }: Parts, named: AskedColumn, marks: readonly Mark[]): boolean {
  const [aggregate, ...others] = aggregates;
  const isReckoned = aggregate !== undefined && aggregate !== 'count' && others.length === 0;
  return isReckoned && columns.length === 1 && isNumeric(columns[0]!) && isLedByOf(marks) && namesEachRow(named);
}

function isLedByOf(marks: readonly Mark[]): boolean {
  const before = marks.findLast(({ kind }) => kind !== 'article');
  // «Umsatz der offenen Bestellungen»; «importo per ordine» is of each.
  const owns = before?.kind === 'column' && before.words[0]!.language === 'de' && marks.at(-1)?.kind === 'article';
  return (
    owns ||
    (before?.kind === 'preposition' &&
      (before.role === 'of' || /^(?:of|for|der|für|pour|para)$/.test(before.words[0]!.plain)))
  );
}

function isSummedUp(column: AskedColumn): boolean {
  return isNumeric(column) && addsUp(column);
}

/** "How many lattes were sold" of what is sold in pieces; "how often" asks for rows. */
function asksForPieces(marks: readonly Mark[]): boolean {
  const counting = marks.findIndex((mark) => mark.kind === 'aggregate' && mark.aggregate === 'count');
  const count = marks[counting];
  if (!count || /^(?:often|times|oft|male|fois|veces)$/.test(count.words.at(-1)!.plain)) return false;
  const [thing, next] = marks.slice(counting + 1).filter(({ kind }) => kind !== 'article');
  if (thing?.kind !== 'value' || thing.found.some(({ column }) => isOfWhom(column))) return false;
  // "How many Germans bought pumps" counts no pumps: whoever buys stands before the verb itself.
  if (next?.words.some(({ norm }) => /^(?:buy|bought|order|ordered|purchased)$/.test(norm))) return false;
  return marks.some(({ words }) => words.some(trades));
}

function takeMeaning(parts: Parts, mark: Mark, rest: readonly Mark[], at: number): boolean {
  const next = rest[at + 1];
  switch (mark.kind) {
    case 'aggregate':
      if (mark.aggregate === 'count' && countsNobody(mark, next) && !isOneEach(parts.table)) return false;
      parts.ofTime ||= mark.ofTime === true;
      // "Highest 5": as good as "top 5".
      if ((mark.aggregate === 'max' || mark.aggregate === 'min') && next?.kind === 'amount') {
        if (parts.top) return false;
        parts.top = { direction: mark.aggregate === 'max' ? 'desc' : 'asc', count: null };
        return true;
      }
      requireOneSize(parts, mark, rest, at);
      parts.aggregates.push(mark.aggregate);
      takeSize(parts, mark, rest.slice(at + 1));
      return true;
    case 'top':
    case 'bottom':
      if (parts.top) return false;
      parts.top = { direction: mark.kind === 'top' ? 'desc' : 'asc', count: null };
      parts.judged = mark.judged === true;
      return true;
    case 'amount': {
      const { number, unit } = mark.amount;
      const before = rest[at - 1]?.kind;
      const follows = before === 'top' || before === 'bottom' || before === 'aggregate' || before === 'edge';
      if (unit !== null || !Number.isInteger(number) || number < 1) return false;
      const shown = Math.min(number, 1000);
      if (parts.top && follows) parts.top.count = shown;
      else if (parts.count === null && countsFollowing(rest, at)) parts.count = shown;
      else return false;
      return true;
    }
    case 'ordinal':
      if (parts.place !== null || !isExtreme(next)) return false;
      parts.place = mark.place;
      return true;
    case 'share':
      if (parts.share) return false;
      parts.share = true;
      parts.namesRows ||= mark.bare === true;
      return true;
    case 'common':
      if (parts.top || parts.aggregates.length > 0) return false;
      if (mark.loose && !tellsHappenings(parts.table)) return false;
      parts.top = { direction: mark.direction, count: parts.count ?? 1 };
      parts.aggregates.push('count');
      // "The busiest month"
      if (mark.loose && next?.kind === 'unit') return true;
      if (next?.kind === 'column' && !mark.behind) return true;
      // "Which month was the busiest"
      return parts.asksWhich && (parts.columns.length > 0 || (mark.loose === true && parts.unit !== null));
    case 'versus':
      parts.compares = true;
      return mark.opens ? at === 0 : false;
    case 'when':
      parts.asksWhen = true;
      return at === 0;
    case 'edge':
      return takeEdge(parts, mark, rest, at);
    case 'adjective':
      return takeAdjective(parts, mark, next);
    case 'unit':
      if (parts.unit !== null) return false;
      parts.unit = mark.unit;
      parts.unitAlone = mark.alone && rest[at - 1]?.kind !== 'by';
      parts.ranksUnit = !mark.alone && !['by', 'article', 'and'].includes(rest[at - 1]?.kind ?? '');
      return true;
    case 'distinct':
      parts.distinct = true;
      return true;
    case 'list':
      parts.lists = true;
      return true;
    case 'which':
      // «Quel est le chiffre d'affaires de Paris» asks what it is, not which there are.
      parts.asksWhich ||= mark.words.length < 3 || next?.kind !== 'column' || !next.columns.every(isSummedUp);
      return true;
    case 'opener':
      parts.asksWho ||= mark.who ?? mark.words[0]!.plain === 'who';
      parts.lists ||= mark.rows ?? LOOKING_UP.test(textOf(mark.words).toLowerCase());
      // "What city has the most": as good as "which".
      parts.asksWhich ||=
        (mark.which ?? /^what$|^who$/.test(textOf(mark.words).toLowerCase())) &&
        ['column', 'table', 'unit', 'verb'].includes(next?.kind ?? '');
      return true;
    case 'event':
    case 'rows':
      parts.namesRows = true;
      return true;
    case 'table':
      parts.namesTable = true;
      // "The highest paid employee", "the most experienced applicant"
      parts.asksWhich ||= rest[at - 1]?.kind === 'column' && isExtreme(rest[at - 2]);
      parts.ofThings ||= sumsUp(parts, rest.slice(0, at));
      parts.noun = textOf(mark.words);
      return true;
    case 'by':
      parts.perEach ||= mark.total !== true && !/\bby$|^(?:حسب|بحسب)$/.test(textOf(mark.words).toLowerCase());
      // "The average fee per visit", of which each row is one.
      if (next?.kind === 'table') return parts.perEach && averagesRows(parts);
      return next !== undefined && ['column', 'unit', 'article', 'aggregate'].includes(next.kind);
    case 'further':
    case 'instead':
      parts.goesOn = true;
      return true;
    case 'and':
      parts.goesOn ||= at === 0;
      return true;
    case 'preposition': {
      // "The city with the highest amount": which one?
      const [first, second] = rest.slice(at + 1).filter(({ kind }) => kind !== 'article');
      const extreme = first?.kind === 'aggregate' && (first.aggregate === 'max' || first.aggregate === 'min');
      const named = ['column', 'table'].includes(rest[at - 1]?.kind ?? '');
      parts.asksWhich ||=
        (mark.role === 'with' || mark.words[0]!.plain === 'with') && extreme && named && second !== undefined;
      return true;
    }
    case 'aside':
      parts.refers ||= mark.refers === true;
      // "The value of" asks for nothing else, but "order value of" does.
      return !(
        /^values? of$/.test(textOf(mark.words).toLowerCase()) && ['table', 'column'].includes(rest[at - 1]?.kind ?? '')
      );
    case 'article':
    case 'verb':
    case 'from':
    case 'until':
      return true;
    default:
      return false;
  }
}

const SIZED = /^(?:largest|biggest|greatest|smallest|highest|lowest)$/;

/** "The largest order", "the biggest department", "which department is the biggest". */
function takeSize(parts: Parts, { words }: Mark, behind: readonly Mark[]): void {
  const [thing, next] = behind;
  if (!SIZED.test(words.at(-1)!.plain) || next?.kind === 'column' || parts.columns.some(isNumeric)) return;
  const columns = thing ? (thing.kind === 'column' ? thing.columns : []) : parts.columns;
  const ofSeveral = columns.length === 1 && columns.every(isOfSeveral);
  const ofRows = columns.length === 0 && (thing ? thing.kind === 'table' : parts.asksWhich && parts.namesTable);
  // Nobody is large.
  if (!ofSeveral && (!ofRows || parts.table.persons === true)) return;
  parts.bySize = true;
  parts.asksWhich = true;
  if (thing && ofRows && isMany(thing)) parts.count ??= MANY;
}

/** Of a plural. */
const MANY = 10;

/** Whether several rows may be of one. */
function isOfSeveral(column: AskedColumn): boolean {
  return column.type === 'text' && column.unique === false && !isYesOrNo(column);
}

/**
 * "The GDP of the smallest region": by its GDP, or by its population?
 * @throws Unclear
 */
function requireOneSize({ columns, table }: Parts, mark: Mark, rest: readonly Mark[], at: number): void {
  const [thing, behind] = rest.slice(at + 1).filter(({ kind }) => kind !== 'article');
  if (!isExtreme(mark) || thing?.kind !== 'table' || behind?.kind === 'column' || !columns.some(isNumeric)) return;
  const sizes = table.columns.filter(isMeasured);
  if (sizes.length > 1) throw new Unclear(textOf([...mark.words, ...thing.words]), sizes.map(labelOf));
}

/** The one of them that the words behind the adjective are about. */
function meantBy(columns: readonly AskedColumn[], mark: Mark | undefined): AskedColumn | null {
  if (mark?.kind !== 'column' || mark.columns.some(({ type }) => type === 'text')) return null;
  const own = columns.filter((column) => (mark.family ?? mark.columns).includes(column));
  return own.length === 1 ? own[0]! : null;
}

/** "How many with a rating of 5", "how many have": of what? */
function countsNobody({ words }: Mark, next: Mark | undefined): boolean {
  const isVerb = next?.kind === 'verb' && next.words[0]!.language === 'en';
  return words.at(-1)!.plain !== 'often' && words.at(-1)!.plain !== 'times' && (isVerb || next?.kind === 'preposition');
}

/** Whether the average of a column is that of the rows: none of them is without a value. */
function averagesRows({ aggregates, columns }: Parts): boolean {
  const [column, ...others] = columns;
  const isAverage = aggregates.length === 1 && aggregates[0] === 'avg';
  return isAverage && others.length === 0 && column !== undefined && isNumeric(column) && column.nullable === false;
}

function takeAdjective(
  parts: Parts,
  { adjective, words }: Extract<Mark, { kind: 'adjective' }>,
  next: Mark | undefined,
): boolean {
  const { form, direction } = adjective;
  const meant = meantBy(adjective.columns, next);
  const columns = meant ? [meant] : adjective.columns;
  if (form !== 'superlative' || columns.length === 0 || parts.byAdjective) return false;
  const column = oneColumn(parts.table, columns, textOf(words));
  parts.aggregates.push(direction === 'desc' ? 'max' : 'min');
  if (!parts.columns.includes(column)) parts.columns.push(column);
  parts.bySum = adjective.sums === true;
  parts.byAdjective = !parts.bySum;
  parts.asksWhich = true;
  return true;
}

/** "Which 3 countries", "the two oldest": how many of an order are asked for. */
function countsFollowing(rest: readonly Mark[], at: number): boolean {
  const [next] = rest.slice(at + 1).filter(({ kind }) => kind !== 'article');
  const before = rest[at - 1]?.kind;
  const leads = before === undefined || ['which', 'list', 'article', 'opener', 'verb'].includes(before);
  return leads && next !== undefined && (isExtreme(next) || ['column', 'table', 'rows', 'edge'].includes(next.kind));
}

function isExtreme(mark: Mark | undefined): boolean {
  if (mark?.kind === 'adjective') return mark.adjective.form === 'superlative';
  return mark?.kind === 'aggregate' && (mark.aggregate === 'max' || mark.aggregate === 'min');
}

/** "When was it shipped", "who directed it", "which grossed the most". */
function isAskedBy(parts: Parts, column: AskedColumn): boolean {
  if (isTime(column) || isYearColumn(column)) return parts.asksWhen;
  // "Who dropped out" is not answered with yes and no.
  return isNumeric(column) ? !parts.aggregates.includes('count') : parts.asksWho && !isYesOrNo(column);
}

/** «Los salarios más altos» of the only `Salario mensual`: where adjectives stand behind, a name begins with what it is. */
function headOfName({ words, family = [] }: Extract<Mark, { kind: 'column' }>): readonly AskedColumn[] {
  const [column, ...others] = family;
  if (!column || others.length > 0 || words.length > 1 || !isNumeric(column) || isKey(column)) return [];
  const { norm, language } = words[0]!;
  const [head = '', ...attributes] = nameWords(labelOf(column));
  const behind = languageNamed(language)?.adjectivesBehind === true;
  return behind && sameWord(norm, head) && !attributes.some((part) => isReckoned(part)) ? [column] : [];
}

function reckonedBehind(mark: Mark | undefined): Aggregate | null {
  return mark?.kind === 'aggregate' && mark.aggregate !== 'count' ? mark.aggregate : null;
}

function takeColumn(
  parts: Parts,
  mark: Extract<Mark, { kind: 'column' }>,
  grouping: boolean,
  before: Mark | undefined,
  behind: Mark | undefined,
): boolean {
  const { words, family, general, verb } = mark;
  // "How many hires by year", "the last 3 hires"
  const happening = isRowEach(parts.table) ? happeningIn(mark, before?.kind === 'edge') : null;
  // "Hires by year"
  const isFirst = before === undefined && behind?.kind === 'by';
  const counted = isFirst || (before?.kind === 'aggregate' && (before.aggregate === 'count' || before.ofTime === true));
  if (happening && !parts.happening && (counted || before?.kind === 'edge' || before?.kind === 'amount')) {
    parts.happening = happening;
    parts.namesRows = true;
    return true;
  }
  const columns = mark.columns.length === 0 && isExtreme(behind) ? headOfName(mark) : mark.columns;
  const [first, ...others] = columns;
  if (
    others.length > 0 &&
    columns.every(({ name }) => /^(?:first|last|middle|given|family)_?name$|^surname$/i.test(name))
  ) {
    parts.columns.push(...columns.filter((own) => !parts.columns.includes(own)));
    return true;
  }
  const several = first ? columns : (family ?? []);
  const chosen = several.length > 1 ? chosenOf(parts.table, textOf(words), columnOptions(several)) : null;
  const column = chosen?.[1] ?? first;
  if (!column) {
    if (several.length > 1) askBack(parts.table, textOf(words), columnOptions(several));
    return false;
  }
  // "How many were shipped" is about nothing that the column says of each.
  if (verb && others.length === 0 && behind?.kind !== 'edge' && !isAskedBy(parts, column)) return false;
  // "How many orders" is not about the states of orders, nor are "total repairs".
  // «Salario medio», «prix le plus élevé»: what is reckoned stands behind the name.
  const reckoned = before?.kind === 'aggregate' ? before.aggregate : reckonedBehind(behind);
  if (family && !general && !chosen && others.length === 0 && !isHead(column, words))
    if (isNumeric(column) ? reckoned === null || reckoned === 'count' : reckoned === 'count') return false;
  if (others.length > 0 && !chosen) askBack(parts.table, textOf(words), columnOptions(columns));
  if (grouping && !((parts.top || parts.ranks) && isNumeric(column))) parts.groups.push({ column });
  else if (!parts.columns.includes(column)) parts.columns.push(column);
  parts.ofEach ??= mark.each ?? null;
  parts.namesNumbered ||= !grouping && !general && namesNumbered(column, words);
  const [extreme] = lexiconOf(words[0]!.language).get(words[0]!.plain) ?? [];
  if (words.length > 1 && extreme?.kind === 'aggregate' && (extreme.aggregate === 'max' || extreme.aggregate === 'min'))
    parts.implied = extreme.aggregate;
  // "Average price", "which month": the measure is named beside its column.
  if (before?.kind === 'aggregate' && before.ofTime && !isTime(column)) return false;
  return true;
}

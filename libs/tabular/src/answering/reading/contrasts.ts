import type { AskedColumn } from '../asked-table.js';
import type { Frame } from './contrast-frames.js';
import { describeFilter } from './describe.js';
import { inOneUnit, withoutWhole } from './measures.js';
import { filterSql } from './reading-sql.js';
import { isNumeric, isTime, type Filter, type Measure, type ReadQuery, type Side, isYearColumn } from './reading.js';
import { askedThings } from './things.js';

/**
 * One question about what lies between the figures of two, which differ in what their rows are of and in nothing else.
 * @returns null where they are no such two. @throws Unclear where the figures are in several units
 */
export function contrastOf(one: ReadQuery, other: ReadQuery, { asks, unordered }: Frame): ReadQuery | null {
  if (!isFigure(one) || !isFigure(other) || !sameMeasure(one.measure!, other.measure!)) return null;
  const [first, second] = [asked(one), asked(other)];
  const common: Filter[] = [];
  const sides: [Filter[], Filter[]] = [[], []];
  for (const column of new Set([...first, ...second].map((filter) => filter.column))) {
    const [own, its] = [first, second].map((filters) => filters.filter((filter) => filter.column === column));
    const same = conditionOf(own!) === conditionOf(its!);
    // "How much more did Oslo make than Bergen in 2024": what is said of one alone is meant of both.
    if (same || own!.length === 0 || its!.length === 0) common.push(...(own!.length > 0 ? own! : its!));
    else if (own!.length === 1 && its!.length === 1 && isSide(own![0]!) && isSide(its![0]!)) {
      sides[0].push(own![0]!);
      sides[1].push(its![0]!);
    } else return null;
  }
  if (sides[0].length !== 1) return null;
  const query: ReadQuery = {
    ...one,
    filters: common,
    assumed: one.assumed || other.assumed,
    guesses: merged(one.guesses, other.guesses),
    passedOver: merged(one.passedOver, other.passedOver),
  };
  // Of two currencies neither is more.
  const inOne = inOneUnit(query);
  if (inOne.groups.length > 0 || inOne.measure?.aggregate === 'ratio') return null;
  const { filters } = withoutWhole({ ...query, filters: [...common, ...sides[0]] });
  const implied = filters.filter((filter) => filter.implied === true);
  const [a, b] = sides.map((own): Side => ({ label: own.map(labelOfSide).join(', '), filters: own }));
  const isLater = unordered && startOf(sides[0][0]!) < startOf(sides[1][0]!);
  const contrast = { sides: (isLater ? [b!, a!] : [a!, b!]) as [Side, Side], asks };
  return { ...inOne, filters: [...inOne.filters, ...implied], contrast };
}

/** One figure over rows, and nothing else. */
function isFigure(query: ReadQuery): boolean {
  const { measure, groups, filters, order, limit, size, edge, rivals, contrast } = query;
  if (!measure || measure.aggregate === 'share' || measure.per || groups.length > 0 || contrast) return false;
  if (order || limit !== null || size || edge || rivals.length > 0 || askedThings(query)) return false;
  if (filters.some(({ kind }) => kind === 'average')) return false;
  return measure.aggregate.startsWith('count') || (measure.column !== null && isNumeric(measure.column));
}

function sameMeasure(one: Measure, other: Measure): boolean {
  return one.aggregate === other.aggregate && one.column === other.column;
}

function asked({ filters }: ReadQuery): Filter[] {
  return filters.filter((filter) => filter.implied !== true);
}

function conditionOf(filters: readonly Filter[]): string {
  return filters.map(filterSql).join(' AND ');
}

/** One value, one stretch of time. */
function isSide(filter: Filter): boolean {
  if (filter.negated) return false;
  switch (filter.kind) {
    case 'values':
      return filter.asked === 1;
    case 'numbers':
      return filter.numbers.length === 1;
    case 'periods':
      return filter.periods.length === 1;
    case 'flag':
      return true;
    default:
      return false;
  }
}

function labelOfSide(filter: Filter): string {
  switch (filter.kind) {
    case 'values':
      return filter.values[0]!.trim();
    case 'numbers':
      return filter.shown[0]!;
    case 'periods':
      return filter.periods[0]!.label;
    default:
      return describeFilter(filter);
  }
}

/** Of two times the later one is compared with the earlier, in whatever order they are named; '' for what is no time. */
function startOf(filter: Filter): string {
  if (filter.kind === 'periods') return filter.periods[0]!.from;
  return filter.kind === 'numbers' && isYearColumn(filter.column) ? String(filter.numbers[0]) : '';
}

function merged<T>(one: readonly T[], other: readonly T[]): T[] {
  const known = new Map([...one, ...other].map((each) => [JSON.stringify(each), each]));
  return [...known.values()];
}

/** The days of the data that a side asks for more of than there are: it may be compared with less than its whole. */
export interface Uncovered {
  column: AskedColumn;
  labels: string[];
}

/** Of a stretch of time so much may lie outside the data. */
const MISSING = 0.1;
const DAY_MS = 86_400_000;

/** Sides that the data do not cover: half a year is less than a whole one, whatever happened in it. */
export function uncovered({ contrast }: ReadQuery): Uncovered | null {
  const filters = contrast?.sides.flatMap((side) => side.filters) ?? [];
  const column = filters[0]?.column;
  const [low, high] = column?.span ?? [];
  if (!column || !isTime(column) || low === undefined || high === undefined) return null;
  const [start, end] = [Date.parse(String(low).slice(0, 10)), Date.parse(String(high).slice(0, 10)) + DAY_MS];
  const labels = filters.flatMap((filter) => {
    if (filter.kind !== 'periods') return [];
    const { from, before, label } = filter.periods[0]!;
    const [first, last] = [Date.parse(from), Date.parse(before)];
    const missing = Math.max(0, start - first) + Math.max(0, last - end);
    return missing > MISSING * (last - first) ? [label] : [];
  });
  return labels.length === 0 ? null : { column, labels };
}

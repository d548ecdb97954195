import { isReckoned, type AskedColumn } from '../asked-table.js';
import { isOfThing } from './conditions.js';
import { additive, addsUp } from './measures.js';
import type { Draft, Parts } from './parts.js';
import { isQuotient } from './quotients.js';
import { isKey, isNumeric, isTime, type Filter, type ReadQuery, isYearColumn } from './reading.js';

/** Columns beside the one that is asked for. */
const MOST_BESIDE = 3;
/** Of whole numbers, each with its rows. */
const MOST_GROUPS = 100;

/** Without a word of reckoning: rows, what stands in them, or "amount by city", which is a sum. @throws Unclear */
export function listing(parts: Parts, query: Draft): ReadQuery | null {
  const [column, ...others] = parts.columns;
  const shows = parts.lists || parts.asksWhich;
  const { namesThings, distinct } = parts;
  // "List the orders in Oslo": all that is said of them, and not their numbers alone. Which they are, where each has several
  // rows, their numbers say.
  const things = column && others.length === 0 && parts.namesNumbered && !distinct && query.groups.length === 0;
  if (things && (shows || query.filters.length > 0) && (!parts.asksWhich || column.unique === true))
    return { ...query, measure: null };
  const measures = column && others.length === 0 && isNumeric(column) && !isKey(column) && !distinct;
  const listed = listedIn(query.filters);
  if (measures && !namesThings && !parts.asksWhich && query.groups.length === 0 && listed)
    return eachOf(listed, column, query);
  // "Revenue of open orders", unless one row is meant or each.
  if (measures && parts.ofThings && !parts.lists && !parts.asksWhich && !query.filters.some(isOfOne))
    return { ...query, measure: { aggregate: 'sum', column }, assumed: true };
  // "How long does it take to ship"
  const ofMany =
    query.groups.length === 0 && !query.filters.some((filter) => isOfOne(filter) || filter.column === column);
  if (measures && isSpan(column) && !shows && ofMany)
    return { ...query, measure: { aggregate: 'avg', column }, assumed: true };
  // "The value of our stock"
  if (measures && column.arithmetic && (addsUp(column) || isQuotient(column)) && !shows && ofMany)
    return { ...query, measure: { aggregate: 'sum', column }, assumed: true };
  const isAsked = query.groups.length > 0 || (query.filters.length > 0 && column !== undefined && addsUp(column));
  if (measures && !namesThings && !parts.asksWhich && isAsked)
    return { ...query, measure: { aggregate: additive(column, null, parts.table), column }, assumed: true };
  // "Countries by population"
  const [group, ...more] = query.groups;
  const orders = group && more.length === 0 && group.unit === undefined && isNumeric(group.column);
  if (orders && namesThings && !column && !distinct && !parts.perEach && ordersRows(group.column))
    return { ...query, groups: [], measure: null, order: { column: group.column, direction: 'desc' } };
  // "Penguins per island"
  if (query.groups.length > 0)
    return namesThings && !column && !distinct && !parts.asksWhich
      ? { ...query, measure: { aggregate: 'count', column: null } }
      : null;
  const limited = query.filters.length > 0;
  if (measures && limited && !parts.asksWhich) return rowsOf(query, [...toTell(query), column]);
  // "The status of order 1001": what stands there.
  // "Orders of customers whose name is…" are orders.
  if (column && parts.namesTable && query.filters.some((filter) => filter.column === column)) return null;
  if (column && others.length === 0 && limited && !parts.namesRows && !distinct && !(namesThings && parts.lists))
    return { ...query, groups: [{ column }], measure: null };
  if (column && namesThings && !distinct && parts.lists) return rowsOf(query, parts.columns);
  if (column)
    return (distinct || shows) && !namesThings
      ? { ...query, groups: parts.columns.map((each) => ({ column: each })), measure: null }
      : null;
  return (namesThings && (shows || limited)) || (shows && limited) ? { ...query, measure: null } : null;
}

/** How long something took; ages are of each. */
function isSpan({ elapsed }: AskedColumn): boolean {
  return elapsed !== undefined && !['age', 'year', 'night'].includes(elapsed.unit);
}

/** "By price" of rows is their order; "by age" may be how many there are of each. */
function ordersRows(column: AskedColumn): boolean {
  const [low, high] = column.span ?? [];
  const isWide = Number(high) - Number(low) > MOST_GROUPS;
  return !isKey(column) && !isYearColumn(column) && (addsUp(column) || isWide || isReckoned(column));
}

/** Whether it leaves one row at most. */
function isOfOne(filter: Filter): boolean {
  const one =
    (filter.kind === 'values' && filter.values.length === 1) ||
    (filter.kind === 'numbers' && filter.numbers.length === 1);
  return one && filter.negated !== true && filter.column.unique === true;
}

/** "The last price of each symbol", "the first price": the rows of that time, all of them where there are several. */
export function edgeRows(parts: Parts, direction: 'asc' | 'desc', query: Draft): ReadQuery | null {
  const [column, ...others] = parts.columns;
  const times = parts.table.columns.filter((own) => isTime(own) || isYearColumn(own));
  const [time, ...more] = times;
  if (!column || others.length > 0 || !isNumeric(column) || isKey(column) || !time || more.length > 0) return null;
  if (isOfThing(time) || parts.aggregates.length > 0 || parts.top || parts.distinct || parts.unit !== null) return null;
  const of = query.groups.map((group) => group.column);
  const shown = [...new Set([...of, time, ...toTell(query), column])];
  return { ...query, groups: [], measure: null, shown, edge: { time, direction, of } };
}

function rowsOf(query: Draft, shown: readonly AskedColumn[]): ReadQuery {
  return { ...query, measure: null, shown: [...new Set(shown)] };
}

/** "France and Germany", "2012 and 2013": of each of them. */
export function listedIn(filters: readonly Filter[]): AskedColumn | null {
  const listed = filters.filter(
    (filter) =>
      filter.negated !== true &&
      ((filter.kind === 'values' && filter.asked > 1) ||
        (filter.kind === 'numbers' && filter.numbers.length > 1 && isYearColumn(filter.column))),
  );
  return listed.length === 1 ? listed[0]!.column : null;
}

/** A figure for each of the values that are named; the rows themselves where their numbers are not added up. */
function eachOf(listed: AskedColumn, column: AskedColumn, query: Draft): ReadQuery {
  if (listed.unique === true || addsUp(column))
    return {
      ...query,
      groups: [{ column: listed }],
      measure: { aggregate: addsUp(column) ? 'sum' : 'max', column },
      assumed: true,
    };
  return rowsOf(query, [listed, ...toTell(query), column]);
}

/** What tells the rows apart that a question leaves: when they are of, and what they are called. */
export function toTell({ table, filters }: Draft): AskedColumn[] {
  const pinned = new Set(
    filters
      .filter(
        (filter) =>
          filter.negated !== true &&
          ((filter.kind === 'values' && filter.values.length === 1) ||
            (filter.kind === 'numbers' && filter.numbers.length === 1)),
      )
      .map(({ column }) => column),
  );
  if ([...pinned].some(({ unique }) => unique === true)) return [];
  const left = table.columns.filter((column) => !pinned.has(column));
  const times = left.filter((column) => isTime(column) || isYearColumn(column)).slice(0, 1);
  const named = left.filter(({ type, unique }) => type === 'text' && unique === true).slice(0, 1);
  const persons = table.persons === true ? left.filter(({ name }) => /(^|_)(sur)?name$/.test(name)).slice(0, 2) : [];
  const texts = left.filter(({ type }) => type === 'text').slice(0, 1);
  const names = persons.length > 0 ? persons : named.length > 0 ? named : times.length === 0 ? texts : [];
  return [...names, ...times].slice(0, MOST_BESIDE);
}

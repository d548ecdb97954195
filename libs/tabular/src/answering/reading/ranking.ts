import type { AskedColumn } from '../asked-table.js';
import { askBack, columnOptions, oneColumn, type Option } from './asking-back.js';
import { isMeasured, isOfThing, ownDates } from './conditions.js';
import { toTell } from './listing.js';
import { isSummedAtAll, ROWS, totalsOf, waysToRank } from './measures.js';
import { namesOfRow } from './persons.js';
import type { Draft, Parts } from './parts.js';
import { nameWords } from './words.js';
import {
  isKey,
  isNumeric,
  isTime,
  labelOf,
  type Group,
  type Measure,
  type ReadQuery,
  isYearColumn,
} from './reading.js';

const DEFAULT_TOP = 1;

type Superlative = NonNullable<Parts['top']>;

/** The superlative that orders what is asked for; null where it is what is reckoned: "the highest amount". */
export function superlativeAmong(parts: Parts, groups: readonly Group[]): Superlative | null {
  const extremes = parts.aggregates.filter((name) => name === 'min' || name === 'max');
  const [extreme] = extremes;
  if (extreme === undefined || extremes.length > 1) return null;
  const direction = extreme === 'max' ? 'desc' : 'asc';
  const others = parts.aggregates.length - 1;
  if (parts.ranksUnit && parts.asksWhich) return { direction, count: DEFAULT_TOP };
  const ordered = parts.count !== null || parts.place !== null || parts.byAdjective || parts.asksWhen;
  const ranks = parts.asksWhich && (things(parts).length > 0 || parts.namesThings || parts.asksWho);
  if (!ranks && others === 0 && !ordered) return null;
  return groups.length > 0 ? null : { direction, count: DEFAULT_TOP };
}

/** What is named by words rather than measured. */
function things({ columns }: Parts): AskedColumn[] {
  return columns.filter((column) => (!isNumeric(column) || isYearColumn(column)) && !isTime(column));
}

/** @returns null when the pieces make no order. @throws Unclear */
export function rank(parts: Parts, { direction, count }: Superlative, query: Draft): ReadQuery | null {
  const limit = parts.place === null ? (parts.count ?? count ?? (parts.asksWhich ? DEFAULT_TOP : 10)) : 1;
  const offset = (parts.place ?? 1) - 1;
  const ordered: Draft = { ...query, limit, offset };
  const named = parts.columns.filter(
    (column) => !isNumeric(column) || isYearColumn(column) || (isKey(column) && column.unique === false),
  );
  const grouped = query.groups.filter(({ column, unit }) => unit !== undefined || !isNumeric(column));
  const numbers = [...parts.columns, ...parts.groups.map(({ column }) => column)].filter(
    (column) => isNumeric(column) && !named.includes(column),
  );
  // "The biggest order" is not the one with the highest number.
  if (numbers.some((own) => own.numbers === true)) return null;
  const aggregates = parts.aggregates.filter((name) => name !== 'min' && name !== 'max');
  const groups: Group[] = [...named.map((column) => ({ column })), ...grouped];
  const [column, ...rest] = numbers;
  if (rest.length > 0 || groups.length > 1 || aggregates.length > 1) return null;
  const [aggregate] = aggregates;
  const [group] = groups;
  if (!group || (isTime(group.column) && group.unit === undefined && (parts.namesThings || parts.byAdjective))) {
    // Rows in the order of a column.
    const by = column ?? group?.column ?? (parts.ofTime ? dateOfRows(parts, direction === 'desc') : sizeOfRows(parts));
    const asksRows =
      parts.namesThings ||
      parts.asksWho ||
      parts.lists ||
      parts.byAdjective ||
      parts.asksWhen ||
      parts.count !== null ||
      // "Top 3 fees"
      (parts.top?.count ?? null) !== null ||
      offset > 0;
    if (!by || aggregate !== undefined || !asksRows) return null;
    const names = parts.asksWho ? namesOfRow(parts.table) : [];
    if (names.length > 0)
      return { ...ordered, groups: [], measure: null, order: { column: by, direction }, shown: [...names, by] };
    const shown = parts.asksWhen && by !== group?.column ? [...new Set([...toTell(query), by])] : null;
    return { ...ordered, groups: [], measure: null, order: { column: by, direction }, shown };
  }
  if (parts.ofTime) return null;
  // The best runner is the one with the lowest time.
  if (parts.judged && column && !isBetterWhenMore(column)) return null;
  const size = column || aggregate !== undefined || !parts.namesThings ? null : sizeOfRows(parts);
  // "Who placed the largest order"
  if (size) {
    const shown = [...new Set([group.column, ...toTell(query), size])];
    return group.unit ? null : { ...ordered, groups: [], measure: null, order: { column: size, direction }, shown };
  }
  const counts = aggregate === 'count' || (!column && aggregate === undefined && parts.namesThings);
  if (counts && column) return null;
  const order = { column: null, direction };
  // "The biggest department"
  if (parts.bySize && !column && aggregate === undefined)
    return { ...ordered, groups, order, measure: wayToMeasure(parts, group.column) };
  // "Top customers"; "who bought the most" tells that it is of a figure.
  const judges = !column && !counts && aggregate === undefined && parts.top !== null;
  if (judges && totalsOf(parts.table).length > 0)
    return { ...ordered, groups, order, measure: wayToJudge(parts, group) };
  if (counts) return { ...ordered, groups, measure: { aggregate: 'count', column: null }, order };
  const measured = column ?? askBack(parts.table, aggregate ?? 'value', columnOptions(parts.numericColumns()));
  const extreme = parts.aggregates.find((name) => name === 'min' || name === 'max');
  const said = aggregate ?? (extreme && parts.top === null ? null : extreme);
  const key = group.unit === undefined ? group.column : { ...group.column, unique: false };
  const [way, ...rivals] =
    parts.bySum && aggregate === undefined
      ? ['sum' as const]
      : said
        ? [said]
        : waysToRank(measured, key, direction, parts.byAdjective);
  const chosen: Measure = { aggregate: way!, column: measured };
  return { ...ordered, groups, measure: chosen, order, assumed: said === null || said === undefined, rivals };
}

/** "The latest order": of the date of the rows, which is the first of several, not of one that their things have for good. */
function dateOfRows({ table, happening }: Parts, isLatest: boolean): AskedColumn | null {
  if (happening) return happening;
  const times = table.columns.filter(isTime);
  // "The newest employee": who came last.
  const joined = table.persons === true ? times.filter(({ name }) => JOINED.test(name)) : [];
  if (joined.length === 1 && isLatest) return joined[0]!;
  const [date, ...others] = ownDates(times);
  return date && others.length === 0 && table.persons !== true && !isOfThing(date) ? date : null;
}

/** Names of what is charged beside what a row came to, or taken off it. */
const BESIDE =
  /^(?:freight|shipping|postage|tax|taxes|vat|fees?|tips?|discounts?|rebates?|delays?|penalt(?:y|ies)|deposits?|fines?|porto|versand|versandkosten|steuer|rabatt)$/;

/** By what "the largest order" is so; null where that is not asked. @throws Unclear where it may be several figures */
function sizeOfRows(parts: Parts): AskedColumn | null {
  // "Top 10 orders"
  const isTop = parts.top !== null && !parts.judged && parts.aggregates.length === 0 && parts.table.persons !== true;
  if (!(parts.bySize || isTop) || !parts.namesThings) return null;
  const figures = parts.table.columns.filter((column) => isMeasured(column));
  const extreme = parts.aggregates.find((name) => name === 'min' || name === 'max');
  const [figure, ...others] = figures;
  if (!figure) return null;
  // "The largest ticket" is hardly the one with the best rating, nor the largest order that of the highest freight.
  if (others.length === 0 && (!isSummedAtAll(figure) || nameWords(labelOf(figure)).some((part) => BESIDE.test(part))))
    return askBack(parts.table, extreme ?? 'max', columnOptions(figures));
  return oneColumn(parts.table, figures, extreme ?? 'max');
}

/** Words of the names of dates from which people belong to those of a table. */
const JOINED =
  /(?:^|_)(?:hired?|hiring|join(?:ed|ing)?|joiner|start(?:ed)?|entry|enrol(?:l|led|lment|ment)?|eintritt|eintrittsdatum|einstellung|einstellungsdatum|embauche|contratacion|ingreso|assunzione|admissao|indienst)(?:_|$)/i;

/** "The best customers": by what they came to, or by how often? @throws Unclear */
function wayToJudge(parts: Parts, { column, unit }: Group): Measure {
  return parts.wayOf(unit ?? labelOf(column), [...totalsOf(parts.table), ROWS]);
}

/** "The biggest department": by how many rows it has, or what these come to? @throws Unclear */
function wayToMeasure(parts: Parts, column: AskedColumn): Measure {
  const sums = parts.table.columns.filter((own) => isMeasured(own) && isSummedAtAll(own));
  if (sums.length === 0) return { aggregate: 'count', column: null };
  return parts.wayOf(labelOf(column), [
    ROWS,
    ...sums.map((own): Option<AskedColumn> => [`total ${labelOf(own)}`, own]),
  ]);
}

/** What is better the more there is of it. */
const BETTER =
  /(?:^|_)(?:sales|revenues?|turnover|takings|profits?|incomes?|earnings?|gains?|margins?|sold|ratings?|scores?|stars|points|grades?_point|gpa|wins?|goals|medals|votes|likes|satisfaction)(?:_|$)/i;

function isBetterWhenMore({ name }: AskedColumn): boolean {
  return BETTER.test(name);
}

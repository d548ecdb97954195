import type { AskedColumn } from '../asked-table.js';
import { isMeasured } from './conditions.js';
import { addsUp, isStock } from './measures.js';
import type { Draft, Parts } from './parts.js';
import { isTime, labelOf, Unclear, type Filter, type Group, type Measure, type ReadQuery } from './reading.js';
import { isKeyOfSeveral } from './row-nouns.js';
import { quantityOf, tellsRemarks } from './synonyms.js';

/**
 * "Average daily sales", "average number of orders per customer": what each day, each customer comes to, on average.
 * @returns undefined where the question is none of these; null where it is, and cannot be reckoned
 * @throws Unclear where the average of the rows of each may be meant as well
 */
export function averageOfEach(parts: Parts, groups: readonly Group[], query: Draft): ReadQuery | null | undefined {
  const { aggregates, perEach, unitAlone, ofEach: key } = parts;
  const [column = null, ...others] = parts.columns;
  if (key) {
    const isOne = column && others.length === 0 && aggregates.length === 1 && aggregates[0] === 'avg';
    return isOne && !unitAlone ? averageOf(query, groups, column, { each: { column: key }, total: 'sum' }) : null;
  }
  const isAverage = aggregates.includes('avg') && aggregates.every((name) => name === 'avg' || name === 'count');
  // Of numbers of rows there is no other average: «nombre moyen de commandes par client».
  const counted = aggregates.length > 1;
  if (!isAverage || others.length > 0 || !(perEach || unitAlone || counted)) return undefined;
  const total = totalOf(parts, column, counted);
  const each = total && eachOf(parts, groups, total, perEach || counted);
  if (!each) return counted ? null : undefined;
  // Where each is one row nothing is added up.
  if (each.column.unique === true && (each.unit === undefined || isOneRow(each, parts))) return null;
  // What there was on each day of a month is not added up.
  if (total === 'sum' && column && each.unit !== undefined && isStock(column)) return undefined;
  const ofEach = averageOf(query, groups, column, { each, total });
  // "Average sales per month": of what each month comes to, or of the sales in each month?
  if (total === 'sum' && column && !counted && !unitAlone && each.unit !== undefined)
    throw new Unclear(labelOf(column), [], 'readings', [
      ofEach,
      { ...query, groups: [...groups], measure: { aggregate: 'avg', column } },
    ]);
  return ofEach;
}

function averageOf(
  query: Draft,
  groups: readonly Group[],
  column: AskedColumn | null,
  per: NonNullable<Measure['per']>,
): ReadQuery {
  return {
    ...query,
    groups: groups.filter((group) => group !== per.each),
    filters: withKnown(per.each.column, query.filters),
    measure: { aggregate: 'avg', column, per },
  };
}

/** How it is reckoned what each comes to; null where that is not known. */
function totalOf({ table, namesThings }: Parts, column: AskedColumn | null, counted: boolean) {
  if (!column) return namesThings ? 'count' : null;
  if (tellsRemarks(column)) return null;
  // "Average number of items per order": pieces, and not rows; of customers, different ones.
  if (counted && column !== quantityOf(table)) return isMeasured(column) ? null : 'count_distinct';
  if (isMeasured(column)) return addsUp(column) ? 'sum' : null;
  return namesThings || isTime(column) ? null : 'count_distinct';
}

/** What each of them is; null where the average of the rows in each is meant: "average revenue per city". */
function eachOf({ columns }: Parts, groups: readonly Group[], total: string, perEach: boolean): Group | null {
  const ofUnit = groups.find(({ unit }) => unit !== undefined && unit !== 'weekday');
  if (ofUnit) return ofUnit;
  if (!perEach) return null;
  const ofKey = groups.find((group) => group.unit === undefined && isKeyOfSeveral(group.column));
  if (ofKey) return ofKey;
  const [only, ...others] = groups;
  const named = only?.unit === undefined && only && !isMeasured(only.column) && !columns.includes(only.column);
  return total !== 'sum' && named && others.length === 0 ? only : null;
}

/** Without the rows that tell no day, or no customer: they are none of one. */
export function withKnown(column: AskedColumn, filters: Filter[]): Filter[] {
  const asked = filters.some((filter) => filter.column === column && filter.negated !== true);
  return column.nullable && !asked ? [...filters, { kind: 'empty', column, negated: true }] : filters;
}

/** "Average visitors per day", "average revenue per order" where each of them is one row. */
export function isOneRow({ column, unit }: Group, { perEach, unitAlone }: Parts): boolean {
  if (unit === 'day') return (perEach || unitAlone) && column.type === 'date' && column.unique === true;
  return column.numbers === true;
}

/** "The highest monthly revenue" is that of a month, and not of one row. */
export function highestOfEach(parts: Parts, groups: readonly Group[], query: Draft): ReadQuery | null {
  const [aggregate, ...others] = parts.aggregates;
  const [column, ...more] = parts.columns;
  const [group, ...further] = groups;
  if ((aggregate !== 'max' && aggregate !== 'min') || others.length + more.length + further.length > 0) return null;
  if (!column || !group || group.unit === undefined || !isTime(group.column) || !addsUp(column) || isStock(column))
    return null;
  const order = { column: null, direction: aggregate === 'max' ? ('desc' as const) : ('asc' as const) };
  return { ...query, groups: [group], measure: { aggregate: 'sum', column }, order, limit: 1 };
}

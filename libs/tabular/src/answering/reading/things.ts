import { sqlName } from '../asked-table.js';
import type { AskedColumn } from '../asked-table.js';
import { addsUp } from './measures.js';
import { isQuotient } from './quotients.js';
import { isNumeric, isTime, type Filter, type ReadQuery } from './reading.js';
import { conditionSql, filterSql, measureSql } from './reading-sql.js';

/**
 * "Products not sold in the North", "regions with a revenue above 3000": of things that have several rows the condition may
 * be meant of each as a whole.
 */
export interface AskedThings {
  /** What is listed or counted. */
  thing: AskedColumn;
  /** Conditions that say one thing of a row and another one of all rows of a thing. */
  doubtful: Filter[];
  /** The others. */
  plain: Filter[];
  counted: boolean;
}

/** @returns null where rows and things are the same, or nothing that is said of them differs */
export function askedThings({
  measure,
  groups,
  filters,
  order,
  limit,
  size,
  edge,
  shown,
}: ReadQuery): AskedThings | null {
  const counted = measure?.aggregate === 'count_distinct' && groups.length === 0;
  const [group, ...others] = groups;
  const thing = counted ? measure.column : measure === null && group?.unit === undefined ? group?.column : null;
  if (!thing || others.length > 0 || !(thing.type === 'text' || isTime(thing)) || thing.unique === true) return null;
  if (order || limit !== null || size || edge || shown) return null;
  const doubtful = filters.filter((filter) => filter.column !== thing && filter.implied !== true && isDoubtful(filter));
  if (doubtful.length === 0) return null;
  return { thing, doubtful, plain: filters.filter((filter) => !doubtful.includes(filter)), counted };
}

/** None of its rows is like that, or all of them together are. */
export function thingsSql({ table }: ReadQuery, { thing, doubtful, plain, counted }: AskedThings): string {
  const name = sqlName(thing.name);
  const parts = [`SELECT ${name}`, `FROM ${sqlName(table.alias)}`];
  if (plain.length > 0) parts.push(`WHERE ${plain.map(filterSql).join(' AND ')}`);
  const conditions = doubtful.map((filter) =>
    isBound(filter) ? conditionSql(filter, totalSql(filter.column)) : `bool_and(${filterSql(filter)})`,
  );
  // Nothing is no value to count.
  if (counted) conditions.push(`${name} IS NOT NULL`);
  parts.push(`GROUP BY 1 HAVING ${conditions.join(' AND ')}`);
  return counted ? `SELECT count(*) AS "count" FROM (${parts.join(' ')})` : `${parts.join(' ')} ORDER BY 1`;
}

export function isBound(filter: Filter): boolean {
  return filter.negated !== true && (filter.kind === 'compare' || filter.kind === 'numbers');
}

function totalSql(column: AskedColumn): string {
  return measureSql({ aggregate: isQuotient(column) ? 'ratio' : 'sum', column }, false);
}

function isDoubtful(filter: Filter): boolean {
  if (filter.negated === true || filter.kind === 'empty') return true;
  return isBound(filter) && isNumeric(filter.column) && (addsUp(filter.column) || isQuotient(filter.column));
}

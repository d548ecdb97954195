import { askBack, type Option } from './asking-back.js';
import { describeFilter } from './describe.js';
import { addsUp, namesEachRow } from './measures.js';
import type { Draft, Parts } from './parts.js';
import { isNumeric, isTime, labelOf, type Filter, type ReadQuery, isYearColumn } from './reading.js';

/** "Percentage of orders that are open", "share of Germany in the population", "percentage of orders by city". @throws Unclear */
export function share(parts: Parts, query: Draft): ReadQuery | null {
  // "Percentage of respondents", where a column has their numbers: of its rows.
  const [column = null, ...others] = parts.columns.filter((own) => !namesEachRow(own));
  const namesRows = parts.namesThings || parts.columns.some(namesEachRow);
  if (others.length > 0 || parts.aggregates.some((name) => name !== 'sum' && name !== 'count')) return null;
  if (column !== null && (!isNumeric(column) || !addsUp(column))) return null;
  // Of gains and losses together nothing is a share.
  const [lowest = 0, highest = 0] = column?.span ?? [];
  if (Number(lowest) < 0 && Number(highest) > 0) return null;
  if (column === null && !namesRows) return null;
  const shared = { ...query, assumed: false };
  if (query.groups.length > 0) {
    const [group, ...more] = query.groups;
    if (!group || more.length > 0 || parts.predicates.length > 0) return null;
    // Cancelled orders by region: of all that were cancelled, or in each region of its own orders?
    const some = query.filters.find(
      (filter) => !filter.implied && !isTime(filter.column) && filter.column !== group.column,
    );
    if (some) {
      const ofEach: ReadQuery = {
        ...shared,
        filters: query.filters.filter((filter) => filter !== some),
        measure: { aggregate: 'share', column, part: [some] },
      };
      const ways: Option<ReadQuery>[] = [
        [`100 % = ${describeFilter(some)}`, { ...shared, measure: { aggregate: 'share', column } }],
        [`100 % = “${labelOf(group.column)}”`, ofEach],
      ];
      return askBack(parts.table, '%', ways, 'way');
    }
    return { ...shared, measure: { aggregate: 'share', column } };
  }
  const part = parts.predicates.length > 0 ? parts.predicates : query.filters;
  const [first, second] = part;
  if (!first) return null;
  // Open orders in Amman: of all orders, of those in Amman, of the open ones?
  const rest = query.filters.filter((filter) => !part.includes(filter));
  const of = (whole: readonly Filter[]): ReadQuery => ({
    ...shared,
    filters: [...rest, ...whole],
    measure: { aggregate: 'share', column, part: part.filter((filter) => !whole.includes(filter)) },
  });
  // "Shipped on time": of all orders, or of those that were shipped?
  const { column: reckoned } = first;
  if (!second && reckoned.elapsed && reckoned.nullable) {
    const known: Filter = { kind: 'empty', column: reckoned, negated: true };
    const ofKnown = { ...of([]), filters: [...rest, known] };
    return askBack(
      parts.table,
      '%',
      [
        ['100 % = …', of([])],
        [`100 % = ${describeFilter(known)}`, ofKnown],
      ],
      'way',
    );
  }
  if (!second || parts.predicates.length > 0) return of([]);
  const ways = part.map((filter): Option<ReadQuery> => [`100 % = ${describeFilter(filter)}`, of([filter])]);
  return askBack(parts.table, '%', [['100 % = …', of([])], ...ways], 'way');
}

/** "Cities with more than 5 airports", "how many cities have more than 5 airports". */
export function sized(parts: Parts, query: Draft): ReadQuery | null {
  const { size, aggregates } = parts;
  const [column, ...others] = parts.columns;
  if (!size || !column || others.length > 0 || query.groups.length > 0 || parts.top) return null;
  if (isNumeric(column) && !isYearColumn(column)) return null;
  const counted = aggregates.includes('count');
  if (aggregates.length > (counted ? 1 : 0)) return null;
  const measure = { aggregate: size.column ? ('count_distinct' as const) : ('count' as const), column: size.column };
  return { ...query, groups: [{ column }], measure, size: { ...size, counted } };
}

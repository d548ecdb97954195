import { columnSql, isReckoned, sqlName } from '../asked-table.js';
import type { Cell, QueryResult } from '../../query/query-messages.js';
import type { Aggregate } from './lexicon.js';
import type { ReadQuery } from './reading.js';
import { conditionsOf, filterSql, knownSql, measureAlias, readingSql, sideSql } from './reading-sql.js';
import { amongSeveral } from './several.js';
import { askedThings, thingsSql } from './things.js';

/** Rows behind the last one of an order that are looked at for the same figure. */
const MOST_TIES = 20;

/** What an answer must say beside its figure. */
export interface ReadFacts {
  /** Rows that match. */
  matched: number;
  /** Of these, rows in which the measured column has a value. */
  filled: number;
  /** Rows that match each condition alone, by `filters`. */
  alone: number[];
  /** Rows of each side, of two that are set side by side. */
  sides?: number[];
  /** Rows of the result that would follow with the same figure as its last one. */
  tied: Cell[][];
  /** What comes first by the largest single value, where the sum was chosen for the question. */
  largest: Cell[] | null;
  /** What the other likely ways to reckon put in its place, where any of them differs. */
  rivals: { aggregate: Aggregate; rows: Cell[][] }[];
  /** What is asked for if conditions are meant of things as a whole, where that differs. */
  things: Cell[][] | null;
  /** What is asked for if what a cell names beside other things counts, too, where that differs. */
  among: Cell[][] | null;
}

/** The statements that find out, to be run with that of the question; `read` takes their results in order. */
export function factStatements(query: ReadQuery): {
  statements: string[];
  read(result: QueryResult, facts: QueryResult[]): ReadFacts;
} {
  const { table, measure, filters, limit, offset, order, groups, contrast } = query;
  const where = filters.map((filter) => `(${filterSql(filter)})`);
  const all =
    conditionsOf(query)
      .map((condition) => `(${condition})`)
      .join(' AND ') || 'true';
  const sides = contrast?.sides.map((side) => [...where, `(${sideSql(side)})`].join(' AND ')) ?? [];
  // Of rows in an order that is reckoned, some may have no place in it.
  const column = measure ? measure.column : order?.column && isReckoned(order.column) && order.column;
  const filled = column
    ? `${all} AND ${measure?.aggregate === 'ratio' ? knownSql(column) : `${columnSql(column)} IS NOT NULL`}`
    : all;
  const counts = [all, filled, ...where, ...sides].map((condition) => `count_if(${condition})`);
  const statements = [`SELECT ${counts.join(', ')} FROM ${sqlName(table.alias)}`];
  const ordered = limit !== null && order !== null;
  if (ordered) statements.push(readingSql({ ...query, offset: 0, limit: limit + offset + MOST_TIES }));
  const second = query.assumed && measure?.aggregate === 'sum' && ordered && groups.length > 0;
  if (second) statements.push(readingSql({ ...query, limit: 1, measure: { ...measure, aggregate: 'max' } }));
  const rivals = measure ? query.rivals : [];
  for (const aggregate of rivals) statements.push(readingSql({ ...query, measure: { ...measure!, aggregate } }));
  const things = askedThings(query);
  if (things) statements.push(thingsSql(query, things));
  const among = amongSeveral(query);
  const amongAt = statements.length;
  if (among) statements.push(readingSql(among));
  const read = (result: QueryResult, all: QueryResult[]): ReadFacts => {
    const facts = all.slice(0, amongAt);
    const [found, longer, largest] = facts;
    const whole = things ? (facts.at(-1)?.rows ?? []) : null;
    const wider = among ? (all[amongAt]?.rows ?? []) : null;
    const others = facts.slice(facts.length - rivals.length).map(({ rows }, at) => ({ aggregate: rivals[at]!, rows }));
    const same = keysIn(result.rows, groups.length);
    const differ = others.some(({ rows }) => keysIn(rows, groups.length) !== same);
    const [matched = 0, some = 0, ...counted] = (found?.rows[0] ?? []).map(Number);
    const key = measure ? measureAlias(measure) : (order?.column?.name ?? '');
    const at = result.columns.findIndex(({ name }) => name === key);
    const last = result.rows.at(-1)?.[at];
    const tied =
      !ordered || at < 0 || last === undefined || last === null
        ? []
        : (longer?.rows ?? []).filter(
            (row, place) => row[at] === last && (place < offset || place >= offset + result.rows.length),
          );
    return {
      matched,
      filled: some,
      alone: counted.slice(0, where.length),
      sides: counted.slice(where.length),
      tied,
      largest: second ? (largest?.rows[0] ?? null) : null,
      rivals: differ ? others : [],
      things: whole && JSON.stringify(whole) !== JSON.stringify(result.rows) ? whole : null,
      among: wider && JSON.stringify(wider) !== JSON.stringify(result.rows) ? wider : null,
    };
  };
  return { statements, read };
}

/** What the rows are of, in their order. */
function keysIn(rows: readonly Cell[][], keys: number): string {
  return JSON.stringify(rows.map((row) => row.slice(0, keys)));
}

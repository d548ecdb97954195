import type { AskedColumn, AskedTable } from '../asked-table.js';
import { ArithmeticColumns } from './arithmetic.js';
import { askBack, columnOptions, type Option } from './asking-back.js';
import { isMeasured, ownDates } from './conditions.js';
import type { Aggregate, DateUnit } from './lexicon.js';
import { edgeRows, listedIn, listing } from './listing.js';
import { additive, addsUp, inOneUnit, isStock, namesEachRow, ROWS, totalsOf, withoutWhole } from './measures.js';
import { rank, superlativeAmong } from './ranking.js';
import { averageOfEach, highestOfEach, isOneRow, withKnown } from './per-each.js';
import { namesPerson } from './persons.js';
import { ofSums } from './quotients.js';
import { isKeyOfSeveral } from './row-nouns.js';
import { countsThings, quantityOf, tellsRemarks } from './synonyms.js';
import { share, sized } from './shares.js';
import { isYesOrNo } from './yes-no.js';
import {
  isKey,
  isNumeric,
  isTime,
  labelOf,
  type Filter,
  type Group,
  type GroupSize,
  type Measure,
  type ReadQuery,
  isYearColumn,
} from './reading.js';

/** Names of rows that are as well what these come to. */
const MONEY =
  /^(?:sales?|revenues?|turnover|incomes?|expenses?|costs?|spending|payments?|budgets?|donations?|ums[äa]tze?|verk[äa]ufe?|ausgaben|einnahmen|kosten|zahlungen|ventes?|d[ée]penses?|recettes?|paiements?|ventas?|gastos?|ingresos?|pagos?)$/iu;

/** What is known before it is known what is reckoned. */
export type Draft = Omit<ReadQuery, 'measure'>;

/** What a question says, piece by piece; a follow-up question replaces pieces. */
export class Parts {
  aggregates: Aggregate[] = [];
  /** One of them is said of dates alone: "latest". */
  ofTime = false;
  distinct = false;
  lists = false;
  namesTable = false;
  namesRows = false;
  asksWhich = false;
  /** "Who has the highest salary": a row, not the salary. */
  asksWho = false;
  /** "Per", "for each". */
  perEach = false;
  /** "Of them": of the rows that were asked about before. */
  refers = false;
  /** "And", "only", "instead": it goes on with an earlier question. */
  goesOn = false;
  top: { direction: 'asc' | 'desc'; count: number | null } | null = null;
  /** "Best", "worst" */
  judged = false;
  /** "The largest order", "the biggest department": by what it comes to, or how many rows it has. */
  bySize = false;
  /** "The 3 lowest", "which 3". */
  count: number | null = null;
  /** "The second highest". */
  place: number | null = null;
  /** "Hottest": its column is among `columns`. */
  byAdjective = false;
  /** "Best-selling": of what all rows of a thing come to. */
  bySum = false;
  /** "Max temperature", where that is a name. */
  implied: Aggregate | null = null;
  /** After "by". */
  groups: Group[] = [];
  /** Others that are named. */
  columns: AskedColumn[] = [];
  filters: Filter[] = [];
  /** Those that are said of others: "of orders in 2024, which are open" has one. */
  predicates: Filter[] = [];
  size: GroupSize | null = null;
  /** "Percentage of" */
  share = false;
  /** "Versus" */
  compares = false;
  /** "First", "last": of times. */
  edge: 'asc' | 'desc' | null = null;
  asksWhen = false;
  /** "How many lattes were sold": pieces, where there is a column of them. */
  countsPieces = false;
  unit: DateUnit | null = null;
  /** "Hires": what happened at the time of this column, in each row that has one. */
  happening: AskedColumn | null = null;
  /** One figure is asked for, whether or not it is said how it is reckoned. */
  isOfFigure = false;
  /** "Orders", where a column has their numbers: its things rather than their numbers. */
  namesNumbered = false;
  /** "Revenue of orders": what these come to. */
  ofThings = false;
  /** What the rows are called where they are named. */
  noun = '';
  /** "Order value" of lines: what all of one order come to. */
  ofEach: AskedColumn | null = null;
  /** "Monthly" */
  unitAlone = false;
  /** "Which month has", "top 3 months". */
  ranksUnit = false;

  constructor(readonly table: AskedTable) {}

  /** Whether a superlative orders what is asked for. */
  get ranks(): boolean {
    return this.asksWhich && this.aggregates.some((name) => name === 'min' || name === 'max');
  }

  /** @returns null when the pieces make no question, or one of them would not be used. @throws Unclear */
  toQuery(): ReadQuery | null {
    const query = this.readQuery();
    if (!query) return null;
    if (this.distinct && (query.measure ? query.measure.aggregate !== 'count_distinct' : query.groups.length === 0))
      return null;
    // "Customers above the average": with one of their rows, or with all of them together?
    const counted = query.measure?.aggregate === 'count_distinct' ? query.measure.column : null;
    const things = [...query.groups.map(({ column }) => column), ...(counted ? [counted] : [])];
    const isOfAverage = query.filters.some(({ kind }) => kind === 'average');
    if (isOfAverage && things.some(({ unique }) => unique !== true)) return null;
    // "Orders with more than 5 items", of which each has several rows: in one of them, or in all?
    const key = [...this.columns, ...(counted ? [counted] : [])].find(isKeyOfSeveral);
    const pieces = key ? quantityOf(this.table) : null;
    const bound = query.filters.find((filter) => filter.kind === 'compare' && filter.column === pieces);
    if (key && pieces && bound?.kind === 'compare' && !this.isOfOneRow(pieces)) return wholes(query, key, bound);
    // The average of all rows, or of those that meet the other conditions?
    if (isOfAverage && query.filters.length > 1) return null;
    // "Sales per guest" is a quotient.
    const measures = query.measure !== null && query.measure.aggregate !== 'count';
    if (query.groups.some(({ column, unit }) => unit === undefined && isMeasured(column) && (measures || this.perEach)))
      return null;
    if (
      this.ofTime &&
      !(query.measure?.column && isTime(query.measure.column)) &&
      !(query.order?.column && isTime(query.order.column))
    )
      return null;
    const told = query.measure === null ? query.groups.map(({ column }) => column) : [];
    if (this.asksWhen && !(query.shown ?? told).some((column) => isTime(column) || isYearColumn(column))) return null;
    // Of two figures the unit may be said behind the second one.
    const ofWhole = ofSums(this.isOfFigure ? query : inOneUnit(query));
    return ofWhole && withoutWhole(ofWhole);
  }

  /** Whether it says anything to replace what was said before. */
  get saysSomething(): boolean {
    return (
      this.filters.length + this.groups.length + this.columns.length + this.aggregates.length > 0 ||
      this.unit !== null ||
      this.top !== null
    );
  }

  private readQuery(): ReadQuery | null {
    const named = this.unit === null ? this.groups : this.withUnit(this.unit);
    // "The average revenue per order", where each row is one.
    const ofRows = this.aggregates.length === 1 && this.aggregates[0] === 'avg' && this.columns.length > 0;
    const groups = named.filter((group) => !(ofRows && isOneRow(group, this)));
    const query: Draft = {
      kind: 'query',
      table: this.table,
      filters: this.happening ? withKnown(this.happening, this.filters) : this.filters,
      groups,
      order: null,
      limit: null,
      offset: 0,
      shown: null,
      edge: null,
      rivals: [],
      size: null,
      assumed: false,
      passedOver: [],
      guesses: [],
    };
    if (this.size) return this.share || this.compares ? null : sized(this, query);
    if (this.edge) return this.share || this.compares ? null : edgeRows(this, this.edge, query);
    if (this.share) return this.compares || this.top ? null : share(this, query);
    if (this.compares) {
      const listed = listedIn(this.filters);
      if (!listed || groups.some(({ column }) => column === listed)) return null;
      groups.unshift({ column: listed });
      if (this.aggregates.length === 0 && this.columns.length === 0 && this.namesThings)
        return { ...query, measure: { aggregate: 'count', column: null } };
    }
    if (this.asksWho && !namesPerson(this)) return null;
    const averages = averageOfEach(this, groups, query);
    if (averages !== undefined || this.ofEach) return averages ?? null;
    const [first, second, ...more] = this.aggregates;
    if (more.length > 0 || new Set(groups.map(({ column }) => column)).size < groups.length) return null;
    // "Which city has the highest total amount", "top 5 cities by amount": the superlative orders.
    const superlative = this.top ?? superlativeAmong(this, groups);
    if (superlative) return rank(this, superlative, query);
    // "The best seller in each city", "who spent the most per order": the highest figure of each group names nobody.
    if (this.bySum || (this.asksWho && this.aggregates.some((name) => name === 'min' || name === 'max'))) return null;
    if (this.count !== null || this.place !== null || this.byAdjective) return null;
    if (second !== undefined || this.ranksUnit) return null;
    if (first === undefined && this.isOfFigure) return this.figure(query);
    if (first === undefined) return listing(this, query);
    if (first === 'count') return this.counting(query);
    const column = this.measured(first);
    // The highest monthly revenue is that of a month, not of one row.
    if (this.unitAlone && groups.length > 0 && first !== 'sum' && column && addsUp(column))
      return highestOfEach(this, groups, query);
    return column && { ...query, measure: { aggregate: first, column } };
  }

  private withUnit(unit: DateUnit): Group[] {
    const dates = this.groups.filter(({ column }) => isTime(column));
    if (dates.length > 0) return this.groups.map((group) => (isTime(group.column) ? { ...group, unit } : group));
    return [...this.groups, { column: this.onlyTime(), unit }];
  }

  /** The one column of times. @throws Unclear where there are several, or none */
  onlyTime(): AskedColumn {
    if (this.happening) return this.happening;
    const dates = this.table.columns.filter(isTime);
    const byYear = this.unit === 'decade' && dates.length === 0;
    const times = byYear ? this.table.columns.filter(isYearColumn) : dates;
    const [time, ...others] = dates.length > 0 ? ownDates(dates) : times;
    return time && others.length === 0 ? time : askBack(this.table, 'date', columnOptions(times));
  }

  private counting(query: Draft): ReadQuery | null {
    const [column, ...others] = this.columns;
    if (others.length > 0 || (column && this.namesThings)) return null;
    const pieces = this.countsPieces && !column ? quantityOf(this.table) : null;
    if (pieces) return { ...query, measure: { aggregate: 'sum', column: pieces }, assumed: true };
    // "How many floods", where a row is what they did in a year.
    const counted =
      this.namesThings || column
        ? undefined
        : this.filters.find((filter) => filter.kind === 'values' && filter.column.yearly);
    if (counted?.kind === 'values') {
      const summed = askBack(this.table, counted.values.join(' / '), columnOptions(this.numericColumns()));
      return { ...query, measure: { aggregate: 'sum', column: summed } };
    }
    if (!column)
      return this.namesThings || this.filters.length > 0 || this.groups.length > 0 || this.goesOn
        ? { ...query, measure: { aggregate: 'count', column: null } }
        : null;
    // "How many passed" is not about how many answers there are.
    if (column && isYesOrNo(column) && !this.distinct) return null;
    const isCount =
      column && (countsThings(column) || isOfDay(column, this.table) || (column.elapsed && addsUp(column)));
    if (isCount && !this.distinct && query.groups.length < 2)
      return { ...query, measure: { aggregate: 'sum', column }, assumed: true };
    if (addsUp(column) && column.type === 'integer' && !this.distinct && !isKey(column))
      return { ...query, measure: this.wayOf(labelOf(column), [[`total ${labelOf(column)}`, column], ROWS]) };
    // "How many respondents", whose numbers are the first thing in each row
    if (!this.distinct && isNumeric(column) && !isKey(column) && namesEachRow(column))
      return { ...query, measure: { aggregate: 'count', column: null } };
    // "How many employees" of a column of numbers may be a sum as well.
    if (column.type === 'number' || (column.type === 'integer' && !this.distinct && !isKey(column))) return null;
    // "Count status = open": rows, since it has but one value in all of these.
    const pinned = this.filters.some((own) => own.kind === 'values' && own.column === column && own.asked === 1);
    if (pinned && !this.distinct) return { ...query, measure: { aggregate: 'count', column: null } };
    // "How many comments": two people may have written the same.
    if (tellsRemarks(column) && !this.distinct) {
      const filters: Filter[] = [...query.filters, { kind: 'empty', column, negated: true }];
      return { ...query, filters, measure: { aggregate: 'count', column: null } };
    }
    // Two patients may have one name.
    const key = this.table.columns.find(({ name, type }) => name === `${column.name}_id` && type !== 'date');
    return { ...query, measure: { aggregate: 'count_distinct', column: key ?? column } };
  }

  /** "Revenue" by itself, "orders" by themselves. @throws Unclear where "sales" may be how many or how much */
  private figure(query: Draft): ReadQuery | null {
    const [column, ...others] = this.columns;
    if (others.length > 0 || this.distinct || this.lists || this.asksWhich) return null;
    if (column)
      return isMeasured(column)
        ? { ...query, measure: { aggregate: additive(column, null, this.table), column }, assumed: true }
        : null;
    if (!this.namesThings) return null;
    const sums = totalsOf(this.table);
    if (sums.length > 0 && MONEY.test(this.noun)) return { ...query, measure: this.wayOf(this.noun, [ROWS, ...sums]) };
    return { ...query, measure: { aggregate: 'count', column: null } };
  }

  private measured(aggregate: Aggregate): AskedColumn | null {
    const [column, ...others] = this.columns;
    if (others.length > 0) return null;
    // "The biggest order" is not the one with the highest number.
    if (column?.numbers === true || (column && this.namesNumbered && isKey(column))) return null;
    if (column) {
      const ordered = aggregate === 'min' || aggregate === 'max';
      return isNumeric(column) || (ordered && isTime(column)) ? column : null;
    }
    // "The oldest employee" is hardly the one who was hired first.
    if (this.ofTime) return null;
    return askBack(this.table, aggregate, columnOptions(this.numericColumns()));
  }

  /** How it is reckoned: a sum, or the number of rows. @throws Unclear */
  wayOf(about: string, ways: readonly Option<AskedColumn | null>[]): Measure {
    const column = askBack(this.table, about, ways, 'way');
    return column ? { aggregate: 'sum', column } : { aggregate: 'count', column: null };
  }

  /** "More than 5 items": of one line. @returns false for those of an order. @throws Unclear */
  private isOfOneRow(pieces: AskedColumn): boolean {
    const ways: Option<boolean>[] = [
      [labelOf(pieces), true],
      [`total ${labelOf(pieces)}`, false],
    ];
    return askBack(this.table, labelOf(pieces), ways, 'way');
  }

  numericColumns(): AskedColumn[] {
    const own = this.table.columns.filter((column) => isNumeric(column) && !isKey(column));
    // What a line came to is asked for more often than how many pieces it has, or what one costs.
    const { takings } = new ArithmeticColumns(this.table);
    return takings?.arithmetic ? [takings, ...own] : own;
  }

  get namesThings(): boolean {
    return this.namesTable || this.namesRows;
  }
}

/** What was asked before, with what a further question says in its place. */
export function combine(earlier: Parts, now: Parts): Parts | null {
  const listsThem = now.refers && (now.lists || now.asksWhich);
  if (!now.saysSomething && !listsThem) return null;
  // "Of them": of which of the groups?
  if (now.refers && !isOfRows(earlier)) return null;
  const things = earlier.columns.filter((column) => !isMeasured(column));
  // "Of them", where an order has several rows: of rows, or of orders?
  const hasLines = earlier.table.columns.some(isKeyOfSeveral);
  if (now.refers && things.length === 0 && hasLines) return null;
  // "By number of orders" of the best customers, where these have to be told apart
  const ranks = earlier.top !== null || earlier.asksWhich;
  if (ranks && things.length > 0 && now.aggregates.includes('count') && now.columns.length > 0) return null;
  const parts = new Parts(earlier.table);
  parts.aggregates = listsThem ? now.aggregates : given(now.aggregates, earlier.aggregates);
  parts.ofTime = now.aggregates.length > 0 ? now.ofTime : earlier.ofTime;
  // "And how many orders" of a question about their amounts
  const counts = now.aggregates.includes('count') && now.columns.length === 0;
  parts.columns = given(now.columns, now.refers || counts ? things : earlier.columns);
  // "By month instead" takes the place of "by city".
  const regroups = now.groups.length > 0 || now.unit !== null;
  parts.groups = regroups ? now.groups : earlier.groups;
  parts.unit = regroups ? now.unit : earlier.unit;
  parts.unitAlone = regroups ? now.unitAlone : earlier.unitAlone;
  parts.ranksUnit = regroups ? now.ranksUnit : earlier.ranksUnit;
  parts.top = now.top ?? earlier.top;
  parts.judged = now.top ? now.judged : earlier.judged;
  parts.count = now.count ?? earlier.count;
  parts.place = now.place ?? earlier.place;
  parts.byAdjective = now.columns.length > 0 ? now.byAdjective : earlier.byAdjective;
  parts.bySum = now.columns.length > 0 ? now.bySum : earlier.bySum;
  parts.size = now.size ?? earlier.size;
  parts.share = now.share || earlier.share;
  parts.compares = now.compares || earlier.compares;
  parts.edge = now.edge ?? earlier.edge;
  parts.asksWhen = now.asksWhen || earlier.asksWhen;
  parts.countsPieces = now.aggregates.length > 0 ? now.countsPieces : earlier.countsPieces;
  parts.distinct = now.distinct || earlier.distinct;
  parts.perEach = regroups ? now.perEach : earlier.perEach;
  parts.lists = now.lists || earlier.lists;
  parts.asksWhich = now.asksWhich || earlier.asksWhich;
  parts.asksWho = now.asksWho || earlier.asksWho;
  parts.namesTable = now.namesTable || earlier.namesTable;
  parts.namesRows = now.namesRows || earlier.namesRows || (now.refers && things.length === 0);
  parts.ofThings = now.columns.length > 0 ? now.ofThings : earlier.ofThings;
  parts.happening = now.happening ?? earlier.happening;
  parts.ofEach = now.columns.length > 0 ? now.ofEach : earlier.ofEach;
  parts.namesNumbered = now.columns.length > 0 ? now.namesNumbered : earlier.namesNumbered;
  const replaced = new Set(now.filters.map(({ column }) => column.name));
  parts.predicates = [...earlier.predicates.filter(({ column }) => !replaced.has(column.name)), ...now.predicates];
  parts.filters = [...earlier.filters.filter(({ column }) => !replaced.has(column.name)), ...now.filters];
  return parts;
}

/** Those of which all rows together exceed the bound. */
function wholes(query: ReadQuery, key: AskedColumn, bound: Filter & { kind: 'compare' }): ReadQuery | null {
  const { groups, measure, order, limit } = query;
  const counted = measure?.aggregate === 'count_distinct';
  const isPlain =
    (measure === null || counted) && groups.every(({ column }) => column === key) && !order && limit === null;
  if (!isPlain || bound.negated) return null;
  const { op, number, column } = bound;
  return {
    ...query,
    filters: query.filters.filter((filter) => filter !== bound),
    groups: [{ column: key }],
    measure: { aggregate: 'sum', column },
    shown: null,
    size: { op, number, column, counted },
  };
}

/** Whether it is about rows, or what they are of, and not about groups of them. */
function isOfRows({ groups, unit, top, size, edge, share, compares }: Parts): boolean {
  return groups.length === 0 && unit === null && !top && !size && !edge && !share && !compares;
}

/** "How many signups" of a table with a row for each day: all of these. */
function isOfDay(column: AskedColumn, { columns }: AskedTable): boolean {
  const [day] = columns;
  return (
    column.type === 'integer' && isMeasured(column) && day?.type === 'date' && day.unique === true && !isStock(column)
  );
}

function given<T>(next: T[], before: T[]): T[] {
  return next.length > 0 ? next : before;
}

import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { Aggregate } from './lexicon.js';
import {
  isNumeric,
  isTime,
  labelOf,
  Unclear,
  type DateUnit,
  type Filter,
  type Group,
  type ReadQuery,
} from './reading.js';

const DEFAULT_TOP = 1;

/** What a question says, piece by piece; a follow-up question replaces pieces. */
export class Parts {
  aggregates: Aggregate[] = [];
  distinct = false;
  lists = false;
  namesTable = false;
  namesRows = false;
  asksWhich = false;
  top: { direction: 'asc' | 'desc'; count: number | null } | null = null;
  /** After "by". */
  groups: Group[] = [];
  /** Others that are named. */
  columns: AskedColumn[] = [];
  filters: Filter[] = [];
  unit: DateUnit | null = null;

  constructor(readonly table: AskedTable) {}

  /** @returns null when the pieces make no question. @throws Unclear */
  toQuery(): ReadQuery | null {
    const groups = this.unit === null ? this.groups : this.withUnit(this.unit);
    const query = {
      kind: 'query',
      table: this.table,
      filters: this.filters,
      groups,
      order: null,
      limit: null,
    } as const;
    const [first, second, ...more] = this.aggregates;
    if (more.length > 0) return null;
    // "Which city has the highest total amount", "top 5 cities by amount": the superlative orders.
    const superlative = this.top ?? this.superlativeAmong(groups);
    if (superlative) return this.ranking(superlative, query);
    if (second !== undefined) return null;
    if (first === undefined) return this.listing(query);
    if (first === 'count') return this.counting(query);
    const column = this.measured(first);
    return column && { ...query, measure: { aggregate: first, column } };
  }

  private withUnit(unit: DateUnit): Group[] {
    const dates = this.groups.filter(({ column }) => isTime(column));
    if (dates.length > 0) return this.groups.map((group) => (isTime(group.column) ? { ...group, unit } : group));
    return [...this.groups, { column: this.onlyTime(), unit }];
  }

  private onlyTime(): AskedColumn {
    const times = this.table.columns.filter(isTime);
    const [time, ...others] = times;
    if (!time || others.length > 0) throw new Unclear('date', times.map(labelOf));
    return time;
  }

  private superlativeAmong(groups: Group[]): Parts['top'] {
    const extremes = this.aggregates.filter((name) => name === 'min' || name === 'max');
    const [extreme] = extremes;
    if (extreme === undefined || extremes.length > 1) return null;
    const direction = extreme === 'max' ? 'desc' : 'asc';
    const others = this.aggregates.length - 1;
    const ranks = this.asksWhich && this.columns.some((column) => !isNumeric(column));
    if (!ranks && others === 0) return null;
    return groups.length > 0 ? null : { direction, count: DEFAULT_TOP };
  }

  private ranking(
    { direction, count }: NonNullable<Parts['top']>,
    query: Omit<ReadQuery, 'measure'>,
  ): ReadQuery | null {
    const limit = count ?? (this.asksWhich ? DEFAULT_TOP : 10);
    const things = this.columns.filter((column) => !isNumeric(column));
    const numbers = [...this.columns, ...this.groups.map(({ column }) => column)].filter(isNumeric);
    const aggregates = this.aggregates.filter((name) => name !== 'min' && name !== 'max');
    const extreme = this.aggregates.find((name) => name === 'min' || name === 'max');
    const groups = [
      ...things.map((column) => ({ column })),
      ...query.groups.filter(({ column }) => !isNumeric(column)),
    ];
    const [column, ...rest] = numbers;
    if (rest.length > 0 || groups.length > 1 || aggregates.length > 1) return null;
    const [aggregate] = aggregates;
    if (groups.length === 0) {
      // Rows in the order of a column.
      if (!column || aggregate !== undefined) return null;
      return { ...query, groups: [], measure: null, order: { column, direction }, limit };
    }
    const counts = aggregate === 'count' || (!column && aggregate === undefined && this.namesThings);
    if (!column && !counts) throw new Unclear(aggregate ?? 'value', this.numericLabels());
    const measure = counts
      ? { aggregate: 'count' as const, column: null }
      : { aggregate: aggregate ?? (extreme && this.top === null ? extreme : 'sum'), column: column! };
    return { ...query, groups, measure, order: { column: null, direction }, limit };
  }

  private counting(query: Omit<ReadQuery, 'measure'>): ReadQuery | null {
    const [column, ...others] = this.columns;
    if (others.length > 0 || (column && this.namesThings)) return null;
    if (!column) return { ...query, measure: { aggregate: 'count', column: null } };
    // "How many employees" of a column of numbers may be a sum as well.
    if (column.type === 'number' || (column.type === 'integer' && !this.distinct && !/(^|_)id$/.test(column.name)))
      return null;
    return { ...query, measure: { aggregate: 'count_distinct', column } };
  }

  private listing(query: Omit<ReadQuery, 'measure'>): ReadQuery | null {
    if (this.groups.length > 0) return null;
    const shows = this.lists || this.asksWhich;
    if (this.columns.length > 0)
      return this.distinct || (shows && !this.namesThings)
        ? { ...query, groups: this.columns.map((column) => ({ column })), measure: null }
        : null;
    return shows && this.namesThings ? { ...query, measure: null } : null;
  }

  private measured(aggregate: Aggregate): AskedColumn | null {
    const [column, ...others] = this.columns;
    if (others.length > 0) return null;
    if (column) {
      const ordered = aggregate === 'min' || aggregate === 'max';
      return isNumeric(column) || (ordered && isTime(column)) ? column : null;
    }
    throw new Unclear(aggregate, this.numericLabels());
  }

  private numericLabels(): string[] {
    return this.table.columns.filter((column) => isNumeric(column) && !/(^|_)id$/.test(column.name)).map(labelOf);
  }

  private get namesThings(): boolean {
    return this.namesTable || this.namesRows;
  }
}

/** What was asked before, with what a further question says in its place. */
export function combine(earlier: Parts, now: Parts): Parts {
  const parts = new Parts(earlier.table);
  parts.aggregates = given(now.aggregates, earlier.aggregates);
  parts.columns = given(now.columns, earlier.columns);
  parts.groups = given(now.groups, earlier.groups);
  parts.unit = now.unit ?? earlier.unit;
  parts.top = now.top ?? earlier.top;
  parts.distinct = now.distinct || earlier.distinct;
  parts.lists = now.lists || earlier.lists;
  parts.asksWhich = now.asksWhich || earlier.asksWhich;
  parts.namesTable = now.namesTable || earlier.namesTable;
  parts.namesRows = now.namesRows || earlier.namesRows;
  const replaced = new Set(now.filters.map(({ column }) => column.name));
  parts.filters = [...earlier.filters.filter(({ column }) => !replaced.has(column.name)), ...now.filters];
  return parts;
}

function given<T>(next: T[], before: T[]): T[] {
  return next.length > 0 ? next : before;
}

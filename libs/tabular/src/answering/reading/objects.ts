import type { AskedColumn, AskedTable } from '../asked-table.js';
import { amountColumn, isComparable, numberFor, timeColumn, toPeriods, within } from './conditions.js';
import type { Comparison } from './lexicon.js';
import type { Mark } from './mark-words.js';
import { between, comparedWith } from './comparisons.js';
import { changesMeaning } from './changing-words.js';
import { askBack, columnOptions, oneColumn } from './asking-back.js';
import { groupSize, numbersIn, textColumn, turned } from './turned.js';
import { isNumeric, isTime, labelOf, type Filter, type GroupSize } from './reading.js';
import { endOfWay } from './routes.js';
import { textOf } from './words.js';

export type MarkOf<K extends Mark['kind']> = Extract<Mark, { kind: K }>;
const JOINING = new Set<Mark['kind']>(['and', 'or']);
const ARTICLES = new Set<Mark['kind']>(['article']);
export const LEADING = new Set<Mark['kind']>(['preposition', 'article', 'from', 'until']);

/** Of a question for what stands in one row. */
const PLAIN = new Set<Mark['kind']>(['opener', 'verb', 'article', 'preposition', 'column', 'value', 'when', 'aside']);

function isAverage(mark: Mark | undefined): boolean {
  return mark?.kind === 'aggregate' && mark.aggregate === 'avg';
}

export interface Found {
  filters: Filter[];
  /** Place of the mark behind it. */
  next: number;
}

/** Reads what a condition compares with: values, amounts, times, parts of texts. */
/** Whether what follows is what something has. */
export const leadsTo = ({ role, words }: MarkOf<'preposition'>): boolean =>
  role === 'with' || /^(?:with|having)$/.test(words[0]!.plain);

export abstract class ObjectReader {
  size: GroupSize | null = null;
  /** "A versus B" */
  compares = false;
  protected at = 0;
  /** What the last comparison was with: "over 5 and under 10". */
  private last: AskedColumn | null = null;

  constructor(
    protected readonly marks: readonly Mark[],
    protected readonly table: AskedTable,
  ) {}

  /** What a column is compared with: `said` where a verb stands between them. */
  protected saidOf(column: AskedColumn, next: number, said: boolean, ranked: boolean): Found | null {
    const object = this.marks[next];
    switch (object?.kind) {
      case 'compare':
      case 'between':
      case 'from':
        return this.comparison(next, column);
      case 'matches':
        return this.matching(next, column);
      case 'value':
        return this.values(next, column);
      case 'quoted':
        return column.type === 'text' && !ranked
          ? { filters: [{ kind: 'text', column, value: object.words[0]!.text }], next: next + 1 }
          : null;
      case 'amount':
        return said || (column.type === 'integer' && this.marks[next - 1]?.kind === 'column' && !ranked)
          ? this.amounts(next, column)
          : null;
      case 'period':
      case 'season':
        return this.times(next, column);
      case 'not': {
        const behind = this.skip(next + 1, LEADING);
        const found = this.marks[behind]?.kind === 'not' ? null : this.saidOf(column, behind, true, ranked);
        return found?.filters.length === 1 ? { filters: found.filters.map(turned), next: found.next } : null;
      }
      default:
        return null;
    }
  }

  /** "Older than 50" */
  protected compared({ adjective, words }: MarkOf<'adjective'>): Found | null {
    const next = this.skipArticles(this.at + 1);
    const object = this.marks[next];
    if (object?.kind !== 'amount') return null;
    const column = oneColumn(this.table, adjective.columns, textOf(words));
    const filter = comparedWith({ op: adjective.op, of: 'numbers' }, object, this.table, column, null);
    // "Older than 50 years"
    const years = this.marks[next + 1];
    const ofAge = years?.kind === 'unit' && years.unit === 'year' && /(^|_)age(_|$)/.test(column.name);
    return filter && { filters: [filter], next: next + (ofAge ? 2 : 1) };
  }

  /** "Contains International", "starts with A" */
  protected matching(at: number, named: AskedColumn | null): Found | null {
    const [sign, text] = [this.marks[at]!, this.marks[this.skipArticles(at + 1)]];
    if (sign.kind !== 'matches' || !text || (text.kind !== 'quoted' && text.kind !== 'value')) return null;
    const column = named ?? textColumn(this.table, textOf(sign.words));
    if (column.type !== 'text') return null;
    const value = textOf(text.words);
    return {
      filters: [{ kind: 'matches', column, way: sign.way, value }],
      next: this.marks.indexOf(text) + 1,
    };
  }

  /** "Have 8 cylinders", "with 3 bedrooms" */
  protected counted({ amount }: MarkOf<'amount'>): Found | null {
    const before = this.marks[this.at - 1];
    const leads = before?.kind === 'verb' || (before?.kind === 'preposition' && leadsTo(before));
    const column = leads && amount.unit === null ? numbersIn(this.marks[this.at + 1]) : null;
    const found = column?.type === 'integer' ? this.amounts(this.at, column) : null;
    return found && { ...found, next: this.at + 2 };
  }

  /** `over 5`, `between 5 and 10`, `from March to May 2024`, `after 2023`. */
  protected comparison(at: number, named: AskedColumn | null): Found | null {
    const sign = this.marks[at]!;
    let next = this.skipArticles(at + 1);
    const first = this.marks[next];
    const average = sign.kind === 'compare' && sign.of !== 'times' ? this.average(sign.op, next, named) : null;
    if (average) return average;
    if (!isComparable(first)) return null;
    if (sign.kind === 'compare') {
      const size =
        named === null && first.kind === 'amount' ? groupSize(sign, first, this.marks.slice(next + 1)) : null;
      if (size && this.size) return null;
      if (size) {
        this.size = size;
        return { filters: [], next: next + 2 };
      }
      // "More than 200 horsepower"
      const behind = named === null && first.kind === 'amount' ? numbersIn(this.marks[next + 1]) : null;
      const filter = comparedWith(sign, first, this.table, named ?? behind, this.last);
      if (filter?.kind === 'compare') this.last = filter.column;
      return filter && { filters: [filter], next: next + (behind ? 2 : 1) };
    }
    const joint = this.marks[next + 1]?.kind;
    if (joint !== 'until' && !(joint === 'and' && sign.kind === 'between')) return null;
    next = this.skipArticles(next + 2);
    const second = this.marks[next];
    const filters = isComparable(second) ? between(first, second, this.table, named) : null;
    return filters && { filters, next: next + 1 };
  }

  /** "Above the average fee", «superior al salario medio»; of rows without their sums only. @throws Unclear */
  private average(op: Comparison, at: number, named: AskedColumn | null): Found | null {
    const [first, second] = [this.marks[at], this.marks[this.skip(at + 1, LEADING)]];
    const leads = isAverage(first);
    const behind = numbersIn(leads ? second : first);
    if (!leads && !(behind && isAverage(this.marks[at + 1]))) return null;
    const column = named ?? behind ?? amountColumn(this.table, [], textOf(first!.words));
    if (!isNumeric(column) || (behind && behind !== column)) return null;
    if (this.table.columns.some(({ whole }) => whole !== undefined)) return null;
    const last = behind && leads ? this.marks.indexOf(second!) : leads ? at : at + 1;
    return { filters: [{ kind: 'average', column, op, table: this.table.alias }], next: last + 1 };
  }

  /** `US`, `US and EU`, `in US or in EU`: any of them, where one column has them all. @throws Unclear */
  protected values(at: number, named: AskedColumn | null): Found | null {
    const { items, next } = this.list(at, (mark) => (mark.kind === 'value' ? mark : null));
    let columns = named ? [named] : items[0]!.found.map(({ column }) => column);
    const taken: MarkOf<'value'>[] = [];
    let end = at;
    for (const [index, item] of items.entries()) {
      const shared = columns.filter((column) => item.found.some((found) => found.column === column));
      if (shared.length === 0) break;
      columns = shared;
      taken.push(item);
      end = next[index]!;
    }
    const [column, ...others] = columns;
    if (!column || taken.length === 0) return null;
    const before = this.marks.slice(0, at).findLast(({ kind }) => kind !== 'article');
    const own = others.length > 0 ? (endOfWay(columns, before) ?? this.nameOfRow(columns)) : column;
    const chosen = own ?? oneColumn(this.table, columns, textOf(taken[0]!.words), 'value');
    return this.valuesOf(chosen, taken, end, named !== null);
  }

  /** "The salary of Ann Lee", who is somebody's manager, too: hers. What is counted or summed may be of those she leads. */
  private nameOfRow(columns: readonly AskedColumn[]): AskedColumn | null {
    const [own, ...others] = columns.filter(({ type, unique }) => type === 'text' && unique === true);
    const sums = this.marks.some(({ kind }) => !PLAIN.has(kind));
    const asks = this.marks.some(({ kind }) => kind === 'column');
    return own && others.length === 0 && asks && !sums ? own : null;
  }

  private valuesOf(column: AskedColumn, taken: readonly MarkOf<'value'>[], behind: number, named: boolean): Found {
    let end = behind;
    const values = taken.flatMap((mark) => this.cellsOf(column, mark, named));
    // "The Sales department"
    const after = this.marks[end];
    const family = after?.kind === 'column' ? (after.family ?? after.columns) : [];
    if (family.includes(column) && (after?.kind === 'column' ? (after.family ?? after.columns.length < 2) : false))
      end++;
    return { filters: [{ kind: 'values', column, values: [...new Set(values)], asked: taken.length }], next: end };
  }

  /** The cells that are meant. @throws Unclear where the words may mean several, or something else */
  private cellsOf(column: AskedColumn, { found, words, exact, partly }: MarkOf<'value'>, named: boolean): string[] {
    const own = found.find((one) => one.column === column)!.values;
    const about = textOf(words);
    if (!named && changesMeaning(words))
      return [
        askBack(
          this.table,
          about,
          own.map((value) => [`${labelOf(column)} = ${value}`, value]),
          'value',
        ),
      ];
    // "Tanks" is the plural of two values: which one?
    const shapes = new Set(own.map((value) => value.trim().toLowerCase().length));
    if ((!exact && shapes.size > 1) || (partly && own.length > 1))
      return [
        askBack(
          this.table,
          about,
          own.map((value) => [value, value]),
          'value',
        ),
      ];
    return own;
  }

  /** "Order 1001" is the row with this number. */
  protected numbered({ key }: MarkOf<'table'>): Found | null {
    const next = this.marks[this.at + 1];
    if (!key || key.type !== 'integer' || next?.kind !== 'amount' || next.amount.unit !== null) return null;
    return this.amounts(this.at + 1, key);
  }

  protected amounts(at: number, column: AskedColumn): Found | null {
    const { items, next } = this.list(at, (mark) => (mark.kind === 'amount' ? mark : null));
    const numbers = items.map(({ amount }) => numberFor(column, amount, this.table));
    if (numbers.some((number) => number === null)) return null;
    const shown = items.map(({ amount }) => amount.text);
    return {
      filters: [{ kind: 'numbers', column, numbers: numbers.flatMap((number) => number ?? []), shown }],
      next: next.at(-1)!,
    };
  }

  protected times(at: number, named: AskedColumn | null): Found | null {
    const { items, next } = this.list(at, (mark) => (mark.kind === 'period' || mark.kind === 'season' ? mark : null));
    const periods = toPeriods(items, this.table, named && isTime(named) ? named : null);
    const about = textOf(items[0]!.words);
    // "Last month" of which of several dates?
    const dates = this.table.columns.filter(isTime);
    if (!named && dates.length > 1 && items.some((item) => item.kind === 'period' && item.relative))
      askBack(this.table, about, columnOptions(dates));
    const column = periods && (named ?? timeColumn(this.table, periods, about));
    const filter = column && within(column, periods);
    return filter && { filters: [filter], next: next.at(-1)! };
  }

  protected skipArticles(at: number): number {
    return this.skip(at, ARTICLES);
  }

  protected skip(at: number, kinds: ReadonlySet<Mark['kind']>): number {
    let next = at;
    while (kinds.has(this.marks[next]?.kind ?? 'rows')) next++;
    return next;
  }

  /** Marks of one sort that stand one after another with "and", "or" or a comma between them, each perhaps with a preposition. */
  protected list<M extends Mark>(at: number, pick: (mark: Mark) => M | null): { items: M[]; next: number[] } {
    const items: M[] = [];
    const next: number[] = [];
    for (let here = at; ;) {
      const mark = this.marks[here];
      const picked = mark ? pick(mark) : null;
      if (!picked) return { items, next };
      items.push(picked);
      next.push(here + 1);
      here++;
      const versus = this.marks[here];
      if (versus?.kind === 'versus' && !versus.opens) {
        this.compares = true;
        here++;
        while (LEADING.has(this.marks[here]?.kind ?? 'rows')) here++;
        continue;
      }
      const joined = this.marks[here]?.kind === 'value' && (this.marks[here] as MarkOf<'value'>).joined;
      if (!joined && !JOINING.has(this.marks[here]?.kind ?? 'rows')) return { items, next };
      while (JOINING.has(this.marks[here]?.kind ?? 'rows')) here++;
      while (LEADING.has(this.marks[here]?.kind ?? 'rows')) here++;
    }
  }
}

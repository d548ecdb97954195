import type { AskedColumn, AskedTable } from '../asked-table.js';
import { isComparable, numberFor, timeColumn, toPeriods, within } from './conditions.js';
import type { Mark } from './mark-words.js';
import { between, comparedWith } from './comparisons.js';
import { changesMeaning } from './changing-words.js';
import { groupSize, nothingIn, numbersIn, textColumn, turned } from './turned.js';
import { isTime, labelOf, Unclear, type Filter, type GroupSize } from './reading.js';
import { textOf } from './vocabulary.js';

type MarkOf<K extends Mark['kind']> = Extract<Mark, { kind: K }>;
const JOINING = new Set<Mark['kind']>(['and', 'or']);
const NAMES = new Set<Mark['kind']>(['value']);
const ARTICLES = new Set<Mark['kind']>(['article']);
const LEADING = new Set<Mark['kind']>(['preposition', 'article', 'from', 'until']);

/** Takes the conditions out of a question: `status is open`, `amount over 100`, `in Amman`, `from March to May 2024`. */
export class FilterReader {
  readonly filters: Filter[] = [];
  /** What is no condition. */
  readonly rest: Mark[] = [];
  /** Those behind the verb: what is said of the others. */
  predicates: Filter[] = [];
  size: GroupSize | null = null;
  /** "A versus B" */
  compares = false;
  private verbAt: number | null = null;
  private at = 0;
  /** What the last comparison was with: "over 5 and under 10". */
  private last: AskedColumn | null = null;

  constructor(
    private readonly marks: readonly Mark[],
    private readonly table: AskedTable,
  ) {}

  /** @returns false when the conditions make no sense. @throws Unclear */
  read(): boolean {
    while (this.at < this.marks.length) {
      const mark = this.marks[this.at]!;
      const done = this.condition(mark);
      if (done === 'refused') return false;
      if (done === 'none') {
        if (mark.kind === 'verb' && this.rest.length > 0) this.verbAt ??= this.filters.length;
        this.rest.push(mark);
        this.at++;
      }
    }
    this.predicates = this.verbAt === null ? [] : this.filters.slice(this.verbAt);
    return this.isSound();
  }

  private condition(mark: Mark): 'taken' | 'none' | 'refused' {
    switch (mark.kind) {
      case 'column':
        return this.ofColumn(mark);
      case 'compare':
      case 'between':
        return this.take(this.comparison(this.at, null), true);
      case 'from':
      case 'until':
        return this.fromOn(mark.kind);
      case 'value':
        return this.take(this.values(this.at, null), true);
      case 'table':
        return this.take(this.numbered(mark), false);
      case 'amount':
        return this.take(this.counted(mark), false);
      case 'period':
      case 'season':
        return this.take(this.times(this.at, null), true);
      case 'twofold':
        throw new Unclear(textOf(mark.words), mark.choices, 'time');
      case 'event':
        // Those of whom the day is known.
        this.filters.push({ kind: 'empty', column: mark.column, negated: true });
        return 'none';
      case 'by':
        // "Films by Kurosawa"
        if (!NAMES.has(this.marks[this.at + 1]?.kind ?? 'rows') || mark.words[0]!.plain !== 'by') return 'none';
        this.at++;
        return 'taken';
      case 'not':
        return this.negated(mark);
      case 'matches':
        return this.take(this.matching(this.at, null), true);
      case 'adjective':
        return mark.adjective.form === 'comparative' ? this.take(this.compared(mark), true) : 'none';
      case 'quoted':
      case 'truth':
        return 'refused';
      default:
        return 'none';
    }
  }

  /** "From March to May" is a range, "from Amman" a place; "from March" may be within it or since then. @throws Unclear */
  private fromOn(kind: 'from' | 'until'): 'taken' | 'none' | 'refused' {
    const range = kind === 'from' ? this.comparison(this.at, null) : null;
    if (range) return this.take(range, true);
    const object = this.marks[this.skipArticles(this.at + 1)];
    if (!isComparable(object)) return 'none';
    if (kind === 'until' || object.kind === 'amount') return 'refused';
    const about = textOf(object.words);
    throw new Unclear(`${textOf(this.marks[this.at]!.words)} ${about}`, [`in ${about}`, `since ${about}`], 'time');
  }

  private take(found: Found | null, must: boolean): 'taken' | 'none' | 'refused' {
    if (!found) return must ? 'refused' : 'none';
    this.filters.push(...found.filters);
    this.at = found.next;
    return 'taken';
  }

  /** A column, perhaps a verb, and what it is compared with. A column after "by" is what is grouped by. */
  private ofColumn(mark: MarkOf<'column'>): 'taken' | 'none' | 'refused' {
    const before = this.marks.slice(0, this.at).findLast(({ kind }) => kind !== 'article')?.kind;
    const [column, ...others] = mark.columns;
    if (!column || others.length > 0 || before === 'by' || before === 'distinct') return 'none';
    if (column.type === 'boolean') return this.flag(column);
    let next = this.at + 1;
    let said = false;
    // "A bonus of 10 %" is as good as "a bonus that is 10 %".
    for (; ['verb', 'preposition', 'article'].includes(this.marks[next]?.kind ?? ''); next++)
      said ||= saysOf(this.marks[next]!);
    const ranked = before === 'aggregate' || before === 'top' || before === 'bottom';
    return this.take(this.saidOf(column, next, said, ranked), false);
  }

  /** What a column is compared with: `said` where a verb stands between them. */
  private saidOf(column: AskedColumn, next: number, said: boolean, ranked: boolean): Found | null {
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

  /** "Not in US", "except open orders", "without a price": the condition that follows, turned round. @throws Unclear */
  private negated({ empty, words }: MarkOf<'not'>): 'taken' | 'refused' {
    let next = this.at + 1;
    while (LEADING.has(this.marks[next]?.kind ?? 'rows') || this.marks[next]?.kind === 'verb') next++;
    const object = this.marks[next];
    const before = this.filters.length;
    this.at = next;
    if (!object || object.kind === 'not' || this.condition(object) !== 'taken') {
      if (object?.kind !== 'column' || !empty) return 'refused';
      this.filters.push(nothingIn(object, textOf(words)));
      this.at = next + 1;
      return 'taken';
    }
    const own = this.filters.slice(before);
    if (own.length !== 1 || own[0]!.negated) return 'refused';
    // "Except Black men": neither of the two alone.
    if (['value', 'adjective', 'quoted', 'amount', 'not'].includes(this.marks[this.at]?.kind ?? '')) return 'refused';
    this.filters[before] = turned(own[0]!);
    return 'taken';
  }

  /** "Older than 50" */
  private compared({ adjective, words }: MarkOf<'adjective'>): Found | null {
    const next = this.skipArticles(this.at + 1);
    const object = this.marks[next];
    if (object?.kind !== 'amount') return null;
    const [column, ...others] = adjective.columns;
    if (others.length > 0) throw new Unclear(textOf(words), adjective.columns.map(labelOf));
    const filter = comparedWith({ op: adjective.op, of: 'numbers' }, object, this.table, column!, null);
    // "Older than 50 years"
    const years = this.marks[next + 1];
    const ofAge = years?.kind === 'unit' && years.unit === 'year' && /(^|_)age(_|$)/.test(column!.name);
    return filter && { filters: [filter], next: next + (ofAge ? 2 : 1) };
  }

  /** "Contains International", "starts with A" */
  private matching(at: number, named: AskedColumn | null): Found | null {
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

  private flag(column: AskedColumn): 'taken' | 'none' {
    const before = this.marks[this.at - 1]?.kind;
    let next = this.at + 1;
    if (this.marks[next]?.kind === 'verb') next++;
    const truth = this.marks[next];
    if (truth?.kind === 'truth')
      return this.take({ filters: [{ kind: 'flag', column, value: truth.value }], next: next + 1 }, true) as 'taken';
    const after = this.marks[this.at + 1]?.kind;
    // "Paid orders", "orders that are paid".
    if (after !== 'table' && after !== 'rows' && before !== 'verb') return 'none';
    return this.take({ filters: [{ kind: 'flag', column, value: true }], next: this.at + 1 }, true) as 'taken';
  }

  /** "Have 8 cylinders", "with 3 bedrooms" */
  private counted({ amount }: MarkOf<'amount'>): Found | null {
    const before = this.marks[this.at - 1];
    const leads =
      before?.kind === 'verb' || (before?.kind === 'preposition' && /^(?:with|having)$/.test(before.words[0]!.plain));
    const column = leads && amount.unit === null ? numbersIn(this.marks[this.at + 1]) : null;
    const found = column?.type === 'integer' ? this.amounts(this.at, column) : null;
    return found && { ...found, next: this.at + 2 };
  }

  /** `over 5`, `between 5 and 10`, `from March to May 2024`, `after 2023`. */
  private comparison(at: number, named: AskedColumn | null): Found | null {
    const sign = this.marks[at]!;
    let next = this.skipArticles(at + 1);
    const first = this.marks[next];
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

  /** `US`, `US and EU`, `in US or in EU`: any of them, where one column has them all. @throws Unclear */
  private values(at: number, named: AskedColumn | null): Found | null {
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
    if (others.length > 0) throw new Unclear(textOf(taken[0]!.words), columns.map(labelOf), 'value');
    const values = taken.flatMap(({ found }) => found.find((one) => one.column === column)!.values);
    // "Tanks" is the plural of two values: which one?
    for (const { found, words, exact } of taken) {
      const own = found.find((one) => one.column === column)!.values;
      if (named === null && changesMeaning(words))
        throw new Unclear(
          textOf(words),
          own.map((value) => `${labelOf(column)} = ${value}`),
          'value',
        );
      const shapes = new Set(own.map((value) => value.trim().toLowerCase().length));
      if (!exact && shapes.size > 1) throw new Unclear(textOf(words), own, 'value');
    }
    // "The Sales department"
    const after = this.marks[end];
    const family = after?.kind === 'column' ? (after.family ?? after.columns) : [];
    if (family.includes(column) && (after?.kind === 'column' ? (after.family ?? after.columns.length < 2) : false))
      end++;
    return { filters: [{ kind: 'values', column, values: [...new Set(values)], asked: taken.length }], next: end };
  }

  /** "Order 1001" is the row with this number. */
  private numbered({ key }: MarkOf<'table'>): Found | null {
    const next = this.marks[this.at + 1];
    if (!key || key.type !== 'integer' || next?.kind !== 'amount' || next.amount.unit !== null) return null;
    return this.amounts(this.at + 1, key);
  }

  private amounts(at: number, column: AskedColumn): Found | null {
    const { items, next } = this.list(at, (mark) => (mark.kind === 'amount' ? mark : null));
    const numbers = items.map(({ amount }) => numberFor(column, amount, this.table));
    if (numbers.some((number) => number === null)) return null;
    const shown = items.map(({ amount }) => amount.text);
    return {
      filters: [{ kind: 'numbers', column, numbers: numbers.flatMap((number) => number ?? []), shown }],
      next: next.at(-1)!,
    };
  }

  private times(at: number, named: AskedColumn | null): Found | null {
    const { items, next } = this.list(at, (mark) => (mark.kind === 'period' || mark.kind === 'season' ? mark : null));
    const periods = toPeriods(items, this.table, named && isTime(named) ? named : null);
    const about = textOf(items[0]!.words);
    const column = periods && (named ?? timeColumn(this.table, periods, about));
    const filter = column && within(column, periods);
    return filter && { filters: [filter], next: next.at(-1)! };
  }

  /** Marks of one sort that stand one after another with "and", "or" or a comma between them, each perhaps with a preposition. */
  private list<M extends Mark>(at: number, pick: (mark: Mark) => M | null): { items: M[]; next: number[] } {
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

  private skipArticles(at: number): number {
    return this.skip(at, ARTICLES);
  }

  private skip(at: number, kinds: ReadonlySet<Mark['kind']>): number {
    let next = at;
    while (kinds.has(this.marks[next]?.kind ?? 'rows')) next++;
    return next;
  }

  /** Two conditions on one column are both meant only where they bound it; any others were joined as a list, or make no sense. */
  private isSound(): boolean {
    const bounds = new Set(['compare', 'moment']);
    const counts = new Map<AskedColumn, Filter[]>();
    for (const filter of this.filters) counts.set(filter.column, [...(counts.get(filter.column) ?? []), filter]);
    return [...counts.values()].every(
      (own) =>
        own.length === 1 ||
        own.every(({ kind }) => bounds.has(kind)) ||
        (own.length === 2 && own.some(({ kind }) => kind === 'empty')),
    );
  }
}

interface Found {
  filters: Filter[];
  /** Place of the mark behind it. */
  next: number;
}

function saysOf(mark: Mark): boolean {
  if (mark.kind === 'preposition') return mark.role === 'of' || mark.words[0]!.plain === 'of';
  return mark.kind === 'verb';
}

import type { AskedColumn } from '../asked-table.js';
import { isComparable } from './conditions.js';
import type { DoneMark } from './done-dates.js';
import { askBack, columnOptions, oneColumn, type Option } from './asking-back.js';
import { comparedWith } from './comparisons.js';
import { saysOfThings } from './grammar.js';
import type { Mark } from './mark-words.js';
import { nothingIn, turned } from './turned.js';
import { isNumeric, isTime, Unclear, type Filter } from './reading.js';
import { textOf } from './words.js';
import { isOneEach } from './persons.js';
import { namesThings } from './row-nouns.js';
import { isYesOrNo, saying } from './yes-no.js';

import { LEADING, leadsTo, ObjectReader, type Found, type MarkOf } from './objects.js';

const NAMES = new Set<Mark['kind']>(['value']);
const COMPARING = new Set<Mark['kind']>(['compare', 'between']);
/** Between "not" and what is not so. */
const BESIDE = new Set<Mark['kind']>(['verb', 'aside']);
const TIMES = new Set<Mark['kind']>(['period', 'season', 'twofold']);
const ASKING_WHEN = new Set<Mark['kind']>(['unit', 'when', 'edge']);
const BEFORE_TIMES = new Set<Mark['kind']>(['preposition', 'article', 'from', 'until', 'compare', 'between', 'aside']);

/** Takes the conditions out of a question: `status is open`, `amount over 100`, `in Amman`, `from March to May 2024`. */
export class FilterReader extends ObjectReader {
  readonly filters: Filter[] = [];
  /** What is no condition. */
  readonly rest: Mark[] = [];
  /** Those behind the verb: what is said of the others. */
  predicates: Filter[] = [];
  private verbAt: number | null = null;

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
        throw new Unclear(
          textOf(mark.words),
          mark.periods.map(({ label }) => label),
          'time',
        );
      case 'event':
        // Those of whom the day is known.
        this.filters.push({ kind: 'empty', column: mark.column, negated: true });
        return 'none';
      case 'sign': {
        const column = oneColumn(this.table, mark.columns, textOf(mark.words));
        this.filters.push({ kind: 'compare', column, op: mark.op, number: 0, shown: '0' });
        this.at++;
        return 'taken';
      }
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
    const ways: Option<boolean>[] = [
      [`in ${about}`, false],
      [`since ${about}`, true],
    ];
    const isSince = askBack(this.table, `${textOf(this.marks[this.at]!.words)} ${about}`, ways, 'time');
    const at = this.skipArticles(this.at + 1);
    if (!isSince) return this.take(this.times(at, null), true);
    const filter = comparedWith({ op: '>=', of: 'times' }, object, this.table, null, null);
    return this.take(filter && { filters: [filter], next: at + 1 }, true);
  }

  private take(found: Found | null, must: boolean): 'taken' | 'none' | 'refused' {
    if (!found) return must ? 'refused' : 'none';
    this.filters.push(...found.filters);
    this.at = found.next;
    return 'taken';
  }

  /** A column, perhaps a verb, and what it is compared with. A column after "by" is what is grouped by. */
  private ofColumn(mark: MarkOf<'column'>): 'taken' | 'none' | 'refused' {
    if (mark.done) {
      const done = this.done(mark.done, textOf(mark.words));
      if (done !== 'none' || !mark.done.known) return done === 'none' ? 'refused' : done;
    }
    const before = this.marks.slice(0, this.at).findLast(({ kind }) => kind !== 'article')?.kind;
    const [column, ...others] = this.ofOneSpan(mark);
    if (!column || others.length > 0 || before === 'by' || before === 'distinct' || mark.each) return 'none';
    const flag = isYesOrNo(column) ? this.flag(column, mark.denied !== true) : 'none';
    if (mark.denied) return flag === 'none' ? 'refused' : flag;
    // Words of yes and no may be named as the values that they are, too.
    if (flag !== 'none' || column.type === 'boolean') return flag;
    let next = this.at + 1;
    // "With a price 12.90", "have price 12.90"; a number behind any other name may be of something else.
    let said = isNumeric(column) && this.isLed();
    // "A bonus of 10 %" is as good as "a bonus that is 10 %".
    // "Directed by"
    const skipped = mark.verb ? ['verb', 'preposition', 'article', 'by'] : ['verb', 'preposition', 'article'];
    for (; skipped.includes(this.marks[next]?.kind ?? ''); next++) said ||= saysOf(this.marks[next]!);
    const sign = this.marks[next]?.kind ?? 'rows';
    // "Orders over 100" are not those whose numbers are higher.
    if (COMPARING.has(sign) && namesThings(column, mark.words)) return 'none';
    const ranked = before === 'aggregate' || before === 'top' || before === 'bottom';
    return this.take(this.saidOf(column, next, said, ranked), false);
  }

  /** "Delivered within 5 days": of those that were ordered on one day, and shipped on another. @throws Unclear */
  private ofOneSpan({ columns, words }: MarkOf<'column'>): readonly AskedColumn[] {
    const isCompared = COMPARING.has(this.marks[this.at + 1]?.kind ?? 'rows');
    const several = columns.length > 1 && columns.every(({ elapsed }) => elapsed !== undefined);
    return several && isCompared ? [oneColumn(this.table, columns, textOf(words))] : columns;
  }

  /** "Not in US", "except open orders", "without a price": the condition that follows, turned round. @throws Unclear */
  private negated({ empty, words }: MarkOf<'not'>): 'taken' | 'refused' {
    let next = this.at + 1;
    while (LEADING.has(this.marks[next]?.kind ?? 'rows') || BESIDE.has(this.marks[next]?.kind ?? 'rows')) next++;
    const object = this.marks[next];
    const before = this.filters.length;
    // "Customers without open tickets" may have others.
    const isDone = object?.kind === 'column' && object.done !== undefined;
    if (empty && isDone) return 'refused';
    this.at = next;
    if (!object || object.kind === 'not' || this.condition(object) !== 'taken') {
      if (object?.kind !== 'column' || !empty) return 'refused';
      this.filters.push(nothingIn(object, textOf(words), this.table));
      this.at = next + 1;
      return 'taken';
    }
    const own = this.filters.slice(before);
    // "Not closed by Ann" may be closed by others.
    const [by, whom] = this.marks.slice(this.at);
    if (isDone && by?.kind === 'by' && whom?.kind === 'value') return 'refused';
    if (own.length !== 1 || (own[0]!.negated && !isDone)) return 'refused';
    // "Except Black men": neither of the two alone.
    if (['value', 'adjective', 'quoted', 'amount', 'not'].includes(this.marks[this.at]?.kind ?? '')) return 'refused';
    this.filters[before] = turned(own[0]!);
    return 'taken';
  }

  /** Whether what stands there is what something has. */
  private isLed(): boolean {
    const before = this.marks.slice(0, this.at).findLast(({ kind }) => kind !== 'article');
    // "With quantity 5 and price 12.90"
    if (before?.kind === 'and') return this.filters.length > 0;
    return before?.kind === 'verb' || (before?.kind === 'preposition' && leadsTo(before));
  }

  private flag(column: AskedColumn, value: boolean): 'taken' | 'none' {
    let next = this.at + 1;
    if (this.marks[next]?.kind === 'verb') next++;
    const truth = this.marks[next];
    if (truth?.kind === 'truth' && value)
      return this.take({ filters: [saying(column, truth.value)], next: next + 1 }, true) as 'taken';
    const led = this.marks.slice(0, this.at).findLast(({ kind }) => kind !== 'article');
    // "Houses with a garage", "people who would recommend"
    const has = led?.kind === 'preposition' && (leadsTo(led) || isOfThat(led));
    if (!has && !this.isSaidOfRows()) return 'none';
    return this.take({ filters: [saying(column, value)], next: this.at + 1 }, true) as 'taken';
  }

  /**
   * "Closed tickets", "that are not paid": whether the day of it is known. The day itself is meant where times are asked for.
   * @throws Unclear
   */
  private done({ dates, known, overdue }: DoneMark, about: string): 'taken' | 'none' {
    const isKnown = known && this.before(this.at)?.kind !== 'not';
    const timed = this.marks.slice(this.at + 1).find(({ kind }) => !BEFORE_TIMES.has(kind));
    const isOfDay = this.marks.some(
      (mark) => ASKING_WHEN.has(mark.kind) || (mark.kind === 'aggregate' && mark.ofTime === true),
    );
    if ((timed && TIMES.has(timed.kind)) || (isKnown && isOfDay)) return 'none';
    // "Outstanding amount"
    const figure = this.marks[this.at + 1];
    const isOfFigure = !known && figure?.kind === 'column' && figure.columns.some(isNumeric);
    if (!isOfFigure && !this.isSaidOfRows()) return 'none';
    const column = oneColumn(this.table, dates, about);
    // "Closed tickets in March": of which day?
    const time = this.marks.find(({ kind }, at) => TIMES.has(kind) && !this.isOfOtherDay(at));
    if ((isKnown || overdue) && time)
      askBack(this.table, textOf(time.words), columnOptions(this.table.columns.filter(isTime)));
    const filters: Filter[] = [{ kind: 'empty', column, ...(known ? { negated: true } : {}) }];
    if (overdue) {
      const { column: due, today } = overdue;
      filters.unshift({ kind: 'moment', column: due, op: '<', date: today, shown: `< ${today}` });
    }
    return this.take({ filters, next: this.at + 1 }, true) as 'taken';
  }

  private before(at: number): Mark | undefined {
    return this.marks.slice(0, at).findLast(({ kind }) => kind !== 'aside');
  }

  /** "Opened in March" */
  private isOfOtherDay(at: number): boolean {
    const named = this.marks.slice(0, at).findLast(({ kind }) => !BEFORE_TIMES.has(kind));
    return named?.kind === 'column' && named.columns.some(isTime);
  }

  /** "Paid orders", "orders that are paid" */
  private isSaidOfRows(): boolean {
    const before = this.before(this.at);
    const [behind, ...others] = this.marks.slice(this.at + 1).filter(({ kind }) => kind !== 'aside');
    const after = behind?.kind;
    // "How many students passed", where a row is one of them
    const named =
      before?.kind === 'table' || (before?.kind === 'column' && before.columns.every(({ unique }) => unique === true));
    const ends = after === undefined || after === 'preposition' || (after === 'by' && others[0]?.kind === 'value');
    const last = (ends || after === 'not') && named;
    const does =
      before?.kind === 'not' ||
      // "What percentage would recommend"
      before?.kind === 'share' ||
      (before !== undefined && saysOfThings(before)) ||
      this.isOfMany() ||
      this.isOfWho() ||
      (after === undefined && this.isOfCounted());
    return after === 'table' || after === 'rows' || before?.kind === 'verb' || last || does;
  }

  /** "Who dropped out", "wer hat einen Vertrag": of whom it is so. */
  private isOfWho(): boolean {
    const asking = this.marks.slice(0, this.at).findLast(({ kind }) => kind !== 'article' && kind !== 'verb');
    return asking?.kind === 'opener' && (asking.who ?? asking.words[0]!.plain === 'who');
  }

  /** "How many passed", where a row is one of them. */
  private isOfMany(): boolean {
    const before = this.marks[this.at - 1];
    return before?.kind === 'aggregate' && before.aggregate === 'count' && isOneEach(this.table);
  }

  /** "How many have a contract", where a row is one of them. */
  private isOfCounted(): boolean {
    const said = this.marks.slice(0, this.at);
    return (
      said.findLast(({ kind }) => kind !== 'article')?.kind === 'verb' &&
      said.some((mark) => mark.kind === 'aggregate' && mark.aggregate === 'count')
    );
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
        (own.length === 2 && own.filter(({ kind }) => kind === 'empty').length === 1),
    );
  }
}

function saysOf(mark: Mark): boolean {
  if (mark.kind === 'preposition') return mark.role === 'of' || mark.words[0]!.plain === 'of';
  return mark.kind === 'verb';
}

/** "People who would", "orders that"; "where" leads to a name. */
function isOfThat({ role, words }: MarkOf<'preposition'>): boolean {
  return role === 'relative' || role === 'subject' || /^(?:that|who)$/.test(words[0]!.plain);
}

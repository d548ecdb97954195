import type { AskedColumn, Elapsed } from '../asked-table.js';
import type { Adjective } from './adjectives.js';
import { amountAt } from './amounts.js';
import { isSameDeed, isSameEnd } from './deeds.js';
import { yearsOf } from './elapsed-years.js';
import type { Comparison } from './lexicon.js';
import { isKey, isTime, labelOf } from './reading.js';
import type { Vocabulary } from './vocabulary.js';
import { nameWords, type Word } from './words.js';

/** What words mean that ask how long something took, or how old it is. */
export type ElapsedMark = { length: number } & (
  | { kind: 'column'; columns: AskedColumn[] }
  | { kind: 'adjective'; adjective: Adjective }
  | { kind: 'compare'; op: Comparison; of: 'numbers' }
  | { kind: 'sign'; columns: readonly AskedColumn[]; op: Comparison; named?: true }
  | { kind: 'aside' | 'verb' }
);

const set = (words: string) => new Set(words.split(' '));
const UNITS: ReadonlyMap<string, Elapsed['unit']> = new Map(
  (['minute', 'hour', 'day', 'week', 'night'] as const).flatMap((unit) => [
    [unit, unit],
    [`${unit}s`, unit],
  ]),
);
/** "Delivery time" */
const HEADS = set('time times duration durations days hours delay delays');
/** "Turnaround time" of whatever comes to an end. */
const ANY_END = set('turnaround lead cycle processing handling throughput elapsed completion waiting wait');
const STAYS = set('stay stays visit visits loan loans rental rentals');
const ARTICLES = set('the a an its their our one');
const AUXILIARIES = set('does do did is was are were has have had will');
const TAKING = set('take takes took taken taking stay stays stayed lasts lasted');
/** "How long do trips last"; elsewhere "the last trips" are others. */
const LASTING = new Set([...TAKING, 'last']);
const USUALLY = ['on average', 'usually', 'typically', 'normally', 'generally', 'for us'];
const PUNCTUAL: readonly (readonly [string, Comparison])[] = [
  ['too late', '>'],
  ['late', '>'],
  ['delayed', '>'],
  ['behind schedule', '>'],
  ['after the deadline', '>'],
  ['on time', '<='],
  ['in time', '<='],
  ['on schedule', '<='],
  ['by the deadline', '<='],
  ['before the deadline', '<='],
];
const IN_ALL = ['in total', 'altogether', 'in all', 'overall'];
const IT_TAKES = ['it takes', 'it took', 'does it take', 'did it take', 'taken'];
const LONGER = set('longest slowest');
const SHORTER = set('shortest fastest quickest');
const COMPARED: ReadonlyMap<string, '>' | '<'> = new Map([
  ['longer than', '>'],
  ['slower than', '>'],
  ['shorter than', '<'],
  ['faster than', '<'],
  ['quicker than', '<'],
]);
const WITHIN: readonly (readonly [string, Comparison])[] = [
  ['within', '<='],
  ['in less than', '<'],
  ['in under', '<'],
  ['in more than', '>'],
  ['in over', '>'],
  ['after more than', '>'],
];
const AMOUNTS = ['more than', 'less than', 'longer than', 'over', 'under', 'at least', 'at most'];

/** Reads them in view of one table. English alone: in other languages one compound may say what was done and how long it took. */
export class ElapsedWords {
  private readonly ends: readonly AskedColumn[];

  constructor(
    private readonly words: readonly Word[],
    private readonly vocabulary: Vocabulary,
  ) {
    this.ends = [...new Set(vocabulary.elapsed.spans.map(([, to]) => to))];
  }

  /** All that can be meant by the words from there on. */
  at(at: number): ElapsedMark[] {
    const marks = this.ends.length > 0 ? this.ofSpans(at) : [];
    return [...marks, ...this.late(at), ...this.between(at), ...yearsOf(this.words, at, this.vocabulary)].filter(
      (mark) => mark.kind !== 'column' || mark.columns.length > 0,
    );
  }

  private plain(at: number): string {
    const word = this.words[at];
    return word && !word.quoted ? word.plain : '';
  }

  /** Of how many words the longest of the phrases is that stand there. */
  private says(at: number, ...phrases: string[]): number {
    const stands = (parts: string[]) => parts.every((part, next) => this.plain(at + next) === part);
    return Math.max(
      0,
      ...phrases.map((phrase) => phrase.split(' ')).map((parts) => (stands(parts) ? parts.length : 0)),
    );
  }

  private skip(at: number, words: ReadonlySet<string>): number {
    return words.has(this.plain(at)) ? at + 1 : at;
  }

  private skipUsually(at: number): number {
    const length = this.says(at, ...USUALLY);
    return length > 0 ? this.skipUsually(at + length) : at;
  }

  /** "Late", "delivered on time" */
  private late(at: number): ElapsedMark[] {
    const { delays, delaysSoFar } = this.vocabulary.elapsed;
    if (delays.length === 0) return [];
    const said = (from: number) => PUNCTUAL.find(([phrase]) => this.says(from, phrase) > 0);
    const [phrase, op] = said(at) ?? said(at + 1) ?? [];
    if (phrase === undefined || op === undefined) return [];
    const length = phrase.split(' ').length;
    // "Late invoices" may be those as well that are not paid yet.
    const soFar = op === '>' && delays.some(({ nullable }) => nullable) ? delaysSoFar : [];
    if (said(at)) return [{ kind: 'sign', columns: [...delays, ...soFar], op, length }];
    const ends = this.named(
      at,
      delays.flatMap(({ elapsed }) => elapsed?.to ?? []),
    );
    const columns = delays.filter(({ elapsed }) => elapsed?.to && ends.includes(elapsed.to));
    return columns.length > 0 ? [{ kind: 'sign', columns, op, named: true, length: length + 1 }] : [];
  }

  /** "Days between order and delivery", "time from opened to closed". */
  private between(at: number): ElapsedMark[] {
    const counted = this.says(at, 'number of', 'how many');
    const head = this.plain(at + counted);
    const unit = UNITS.get(head) ?? null;
    const isHead = unit !== null || (counted === 0 && /^(?:time|duration|interval|delay|gap|lag|period)$/.test(head));
    const link = this.plain(at + counted + 1);
    if (!isHead || (link !== 'between' && link !== 'from')) return [];
    const from = this.timeAt(this.skip(at + counted + 2, ARTICLES));
    const to = from && this.timeAt(this.skip(from.next + 1, ARTICLES));
    const links = link === 'between' ? ['and'] : ['to', 'until', 'till'];
    if (!to || !links.includes(this.plain(from.next)) || from.column === to.column) return [];
    const column = this.vocabulary.elapsed.between(from.column, to.column, unit ?? this.askedUnit());
    return [{ kind: 'column', columns: [column], length: to.next - at }];
  }

  /** The one time that is named there. */
  private timeAt(at: number): { column: AskedColumn; next: number } | null {
    if (at >= this.words.length) return null;
    const named = this.vocabulary.columnAt(this.words, at);
    const [whole, ...more] = named?.columns.filter(isTime) ?? [];
    if (named && whole && more.length === 0) return { column: whole, next: at + named.length };
    const [column, ...others] = this.named(at, this.vocabulary.table.columns.filter(isTime));
    if (!column || others.length > 0) return null;
    return { column, next: /^(?:date|day|time)$/.test(this.plain(at + 1)) ? at + 2 : at + 1 };
  }

  private named(at: number, among: readonly AskedColumn[]): AskedColumn[] {
    const word = this.words[at];
    if (!word || word.quoted) return [];
    const calledBy = (isCalled: typeof isSameDeed) =>
      among.filter((column) => nameWords(labelOf(column)).some((part) => isCalled(word.norm, part)));
    const own = calledBy(isSameDeed);
    return own.length > 0 ? own : calledBy(isSameEnd);
  }

  /** "In days" */
  private askedUnit(): Elapsed['unit'] | null {
    const said = this.words.findIndex((_, at) => this.isUnitSaid(at));
    return said < 0 ? null : UNITS.get(this.plain(said + 1))!;
  }

  private isUnitSaid(at: number): boolean {
    return this.plain(at) === 'in' && UNITS.has(this.plain(at + 1)) && this.plain(at + 1).endsWith('s');
  }

  /** All times that something took to come to one of these ends. */
  private spansTo(ends: readonly AskedColumn[], unit: Elapsed['unit'] | null = null): AskedColumn[] {
    const { elapsed } = this.vocabulary;
    const spans = elapsed.spans.filter(([, to]) => ends.includes(to));
    return spans.map(([from, to]) => elapsed.between(from, to, unit ?? this.askedUnit()));
  }

  /** "To close", "to delivery", "to ship an order": which end, and where the words end. */
  private toEnd(at: number): { ends: AskedColumn[]; next: number } | null {
    if (!/^(?:to|until|till)$/.test(this.plain(at))) return null;
    const start = this.skip(this.skip(at + 1, ARTICLES), set('be get'));
    const ends = this.named(start, this.ends);
    if (ends.length === 0) return null;
    const thing = this.skip(start + 1, ARTICLES);
    const noun = thing < this.words.length ? this.nounAt(thing) : 0;
    return { ends, next: noun > 0 ? thing + noun : start + 1 };
  }

  private nounAt(at: number): number {
    const length = this.vocabulary.tableAt(this.words, at);
    return length > 0 ? length : this.vocabulary.nouns.at(this.words, at) ? 1 : 0;
  }

  /** Of how many words what has times is called there: "tickets", or "patients" whose numbers stand in each row. */
  private subjectAt(at: number): number {
    if (at >= this.words.length) return 0;
    const thing = this.vocabulary.columnAt(this.words, at);
    return this.nounAt(at) || (thing?.columns.some(isKey) ? thing.length : 0);
  }

  /** The ends that are said anywhere behind; all where none is. */
  private saidBehind(at: number): readonly AskedColumn[] {
    for (let next = at; next < this.words.length; next++) {
      const to = this.toEnd(next);
      if (to) return to.ends;
    }
    return this.ends;
  }

  private ofSpans(at: number): ElapsedMark[] {
    // "How long did it take in total" is no average.
    if (/^(?:how|number)$/.test(this.plain(at)) && this.words.some((_, own) => this.says(own, ...IN_ALL) > 0))
      return [];
    if (this.isUnitSaid(at) && (this.asksHowLong(at) || this.words.some(({ plain }) => HEADS.has(plain))))
      return [{ kind: 'aside', length: 2 }];
    const how = this.says(at, 'how long');
    if (how > 0) return this.howLong(at);
    const named = this.namedTime(at) ?? this.timeTo(at);
    if (named) return [named];
    const lasts = this.plain(at) === 'last' && at === this.words.length - 1 && this.says(0, 'how long') > 0;
    if (lasts || TAKING.has(this.plain(at))) return this.taking(at);
    return [...this.withinTime(at), ...this.compared(at)];
  }

  /** "Delivery time", "turnaround time", "length of stay" */
  private namedTime(at: number): ElapsedMark | null {
    const word = this.plain(at);
    const head = this.plain(at + 1);
    // `End time` is a time of the file.
    const isOwn = (this.vocabulary.columnAt(this.words, at)?.length ?? 0) > 1;
    if (HEADS.has(head) && !isOwn) {
      const named = this.named(at, this.ends);
      const ends = named.length > 0 ? named : ANY_END.has(word) ? this.ends : [];
      if (ends.length > 0) return { kind: 'column', columns: this.spansTo(ends, UNITS.get(head)), length: 2 };
    }
    const isStay = word === 'length' && head === 'of' && STAYS.has(this.plain(at + 2));
    if (isStay) return { kind: 'column', columns: this.spansTo(this.ends), length: 3 };
    // "Average visits per day" are counted.
    const isAverage = /^(?:average|mean|median)$/.test(this.plain(at - 1)) && STAYS.has(word) && !word.endsWith('s');
    return isAverage ? { kind: 'column', columns: this.spansTo(this.ends), length: 1 } : null;
  }

  /** "Time to close", "number of days until delivery", "time it takes to ship", "duration", "how many days did it take" */
  private timeTo(at: number): ElapsedMark | null {
    const counted = this.says(at, 'number of', 'how many');
    const head = this.plain(at + counted);
    const unit = UNITS.get(head) ?? null;
    if (unit === null && (counted > 0 || !/^(?:time|duration)s?$/.test(head))) return null;
    const behind = at + counted + 1;
    const taken = behind + this.says(behind, ...IT_TAKES);
    const to = this.toEnd(taken);
    const asks =
      counted > 0 && AUXILIARIES.has(this.plain(behind)) && this.words.some(({ plain }) => TAKING.has(plain));
    // "How many nights", "total nights": these are added up.
    const isAverage = /^(?:average|mean|median)$/.test(this.plain(at - 1));
    if (unit === 'night' && counted > 0 && !isAverage) return null;
    if (unit === 'night') return { kind: 'column', columns: this.spansTo(this.ends, unit), length: counted + 1 };
    if (!to && !asks && taken === behind && !head.startsWith('duration')) return null;
    const next = to?.next ?? (asks && taken === behind ? behind + 1 : taken);
    return { kind: 'column', columns: this.spansTo(to?.ends ?? this.saidBehind(behind), unit), length: next - at };
  }

  /** "How long does it take to ship an order", "how long did order 17 take", "how long does shipping usually take" */
  private howLong(at: number): ElapsedMark[] {
    const subject = this.skip(at + 2, AUXILIARIES);
    const taken = this.skipUsually(this.skip(this.skipUsually(this.skip(subject, set('it'))), LASTING));
    const to = this.toEnd(taken);
    if (to) return [{ kind: 'column', columns: this.spansTo(to.ends), length: to.next - at }];
    const deed = this.skip(subject, ARTICLES);
    const done = this.named(deed, this.ends);
    const next = this.skipUsually(deed + 1);
    if (done.length > 0 && LASTING.has(this.plain(next)))
      return [{ kind: 'column', columns: this.spansTo(done), length: next + 1 - at }];
    const columns = this.spansTo(this.saidBehind(subject));
    // "How long do patients stay"
    const behind = this.skipUsually(deed + this.subjectAt(deed));
    if (behind > deed && LASTING.has(this.plain(behind))) return [{ kind: 'column', columns, length: behind + 1 - at }];
    return [...new Set([subject, taken])].map((end) => ({ kind: 'column', columns, length: end - at }));
  }

  /** Whether what stands before says that it is asked how long something took: "orders to ship" are others. */
  private asksHowLong(before: number): boolean {
    return this.words.slice(0, before).some((_, at) => {
      const word = this.plain(at);
      const counts = this.says(at, 'how many') > 0 && UNITS.has(this.plain(at + 2));
      return counts || this.says(at, 'how long') > 0 || LONGER.has(word) || SHORTER.has(word) || TAKING.has(word);
    });
  }

  /** "Took more than 5 days", "took the longest to ship" */
  private taking(at: number): ElapsedMark[] {
    const length = (this.toEnd(at + 1)?.next ?? at + 1) - at;
    const next = this.skip(at + length, ARTICLES);
    const compares = COMPARED.has(`${this.plain(next)} ${this.plain(next + 1)}`);
    if (compares || LONGER.has(this.plain(next)) || SHORTER.has(this.plain(next))) return [{ kind: 'verb', length }];
    const isBound = this.says(next, ...AMOUNTS, ...WITHIN.map(([phrase]) => phrase)) > 0;
    if (isBound) return [{ kind: 'column', columns: this.spansTo(this.saidBehind(at)), length }];
    return this.asksHowLong(at) ? [{ kind: 'aside', length }] : [];
  }

  /** "Shipped within 2 days" */
  private withinTime(at: number): ElapsedMark[] {
    const within = (from: number) => {
      const [phrase, op] = WITHIN.find(([own]) => this.says(from, own) > 0) ?? [];
      const length = phrase?.split(' ').length ?? 0;
      const amount = phrase && from + length < this.words.length ? this.amountAt(from + length) : null;
      return amount && op ? { op, length } : null;
    };
    const here = within(at);
    if (here) return [{ kind: 'compare', of: 'numbers', ...here }];
    const done = within(at + 1) ? this.named(at, this.ends) : [];
    return [
      { kind: 'column', columns: this.spansTo(done), length: 1 },
      { kind: 'column', columns: this.spansFor(at), length: 2 },
    ];
  }

  /** "Borrowed for more than 14 days" */
  private spansFor(at: number): AskedColumn[] {
    const compares = this.says(at + 1, 'for') > 0 ? this.says(at + 2, ...AMOUNTS) : 0;
    const isTimed = compares > 0 && at + 2 + compares < this.words.length && this.amountAt(at + 2 + compares);
    const { elapsed } = this.vocabulary;
    const begun = isTimed ? this.named(at, [...new Set(elapsed.spans.map(([from]) => from))]) : [];
    return elapsed.spans.filter(([from]) => begun.includes(from)).map(([from, to]) => elapsed.between(from, to));
  }

  /** "3 days" */
  private amountAt(at: number): boolean {
    const unit = amountAt(this.words, at, this.vocabulary.units)?.amount.unit ?? '';
    return UNITS.has(unit);
  }

  /** "The longest to close", "longer than 5 days" */
  private compared(at: number): ElapsedMark[] {
    const word = this.plain(at);
    const columns = this.spansTo(this.saidBehind(at + 1));
    const op = COMPARED.get(`${word} ${this.plain(at + 1)}`);
    if (op) {
      const direction = op === '>' ? 'desc' : 'asc';
      return [{ kind: 'adjective', adjective: { form: 'comparative', direction, op, columns }, length: 2 }];
    }
    // What is said of one end behind its subject: "took more than 5 days to ship".
    const to = this.asksHowLong(at) ? this.toEnd(at) : null;
    if (to) return [{ kind: 'aside', length: to.next - at }];
    const direction = LONGER.has(word) ? 'desc' : SHORTER.has(word) ? 'asc' : null;
    if (direction === null) return [];
    const length = (this.toEnd(at + 1)?.next ?? at + 1) - at;
    return [
      {
        kind: 'adjective',
        adjective: { form: 'superlative', direction, op: direction === 'desc' ? '>' : '<', columns },
        length,
      },
    ];
  }
}

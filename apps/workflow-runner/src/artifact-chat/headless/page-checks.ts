import { type NamedQuery, type QueryOutcome, SourceQueries } from '@app/artifacts';
import { DomainError } from '@app/common';
import { FairSlots } from '@app/isolation';
import { Injectable } from '@nestjs/common';
import { openPage, PageEnded } from './open-page.js';
import { PAGE_ENTRY } from './page-entry.js';
import type { PageOutcome, PageReport } from './page-messages.js';

/** Processes at a time, of a hundred megabytes and more each. */
const AT_ONCE = 2;
/** Queries that a page asks at once run together. */
const TOGETHER_MS = 15;

export interface CheckedPage {
  html: string;
  queries: readonly NamedQuery[];
  /** Queries whose result may be empty as the data are. */
  mayBeEmpty?: readonly string[];
  title: string;
  state?: Record<string, unknown>;
}

export interface PageCheck {
  /** What does not work; empty: all does. */
  problems: string[];
  notes: string[];
  /** What each query gave with its defaults. */
  queries: { name: string; columns: string[]; rows: number; first: unknown[][]; truncated: boolean }[];
  /** What people would read on the page, without its charts. */
  text: string;
  charts: number;
}

const SHOWN_ROWS = 3;

/** Opens pages before anybody sees them, with the data of their creator (docs/contract/artifact-chat.md#the-check). */
@Injectable()
export class PageChecks {
  private readonly slots = new FairSlots(AT_ONCE);

  constructor(private readonly sources: SourceQueries) {}

  /** @throws the signal's reason */
  async check(ownerId: number, page: CheckedPage, signal: AbortSignal): Promise<PageCheck> {
    const key = String(ownerId);
    await this.slots.enter(key, signal);
    try {
      return await new PageRun(this.sources, ownerId, page, signal).check();
    } finally {
      this.slots.leave(key);
    }
  }
}

interface Asked {
  query: NamedQuery;
  params: Record<string, unknown>;
  answer(outcome: QueryOutcome): void;
  fail(error: unknown): void;
}

/** One check of one page. */
class PageRun {
  private readonly problems = new Set<string>();
  private readonly notes: string[] = [];
  private readonly known = new Map<string, Promise<QueryOutcome>>();
  private readonly used = new Set<string>();
  private readonly over = new AbortController();
  private readonly signal: AbortSignal;
  private waiting: Asked[] = [];

  constructor(
    private readonly sources: SourceQueries,
    private readonly ownerId: number,
    private readonly page: CheckedPage,
    signal: AbortSignal,
  ) {
    this.signal = AbortSignal.any([signal, this.over.signal]);
  }

  async check(): Promise<PageCheck> {
    const tried = await Promise.all(
      this.page.queries.map(async (query) => ({ query, outcome: isWhole(query) ? await this.run(query, {}) : null })),
    );
    for (const { query, outcome } of tried) if (outcome) this.judge(query, outcome);
    const { text, drawings: charts } = await this.open();
    for (const query of this.page.queries) {
      if (this.used.has(query.name)) continue;
      if (isWhole(query)) this.notes.push(`The page does not ask ${query.name} when it is opened.`);
      else
        this.problems.add(
          `${query.name} was never run: it has a parameter without a default, and the page does not ask it when it is opened. Give each parameter a default.`,
        );
    }
    const queries = tried.flatMap(({ query: { name }, outcome }) =>
      outcome && 'rows' in outcome ? [shown(name, outcome)] : [],
    );
    return { problems: [...this.problems], notes: this.notes, queries, text, charts };
  }

  private judge({ name }: NamedQuery, outcome: QueryOutcome): void {
    if ('error' in outcome) this.problems.add(`${name} fails: ${outcome.error.message}`);
    else if (outcome.rows.length === 0 && !this.page.mayBeEmpty?.includes(name))
      this.problems.add(`${name} gives no rows. If the data really are like that, name it in may_be_empty.`);
  }

  private async open(): Promise<Pick<PageReport, 'text' | 'drawings'>> {
    const { html, title, state = {} } = this.page;
    const ask = (name: string, params: Record<string, unknown>) => this.answer(name, params);
    try {
      const { problems, notes, text, drawings } = await openPage({
        entry: PAGE_ENTRY,
        html,
        title,
        state,
        ask,
        signal: this.signal,
      });
      for (const line of problems) this.problems.add(line);
      this.notes.push(...notes);
      return { text, drawings };
    } catch (error) {
      if (!(error instanceof PageEnded)) throw error;
      this.problems.add(error.message);
      return { text: '', drawings: 0 };
    } finally {
      // Nobody waits for what the page has asked until then.
      this.over.abort();
    }
  }

  /** As a page gets it. */
  private async answer(name: string, params: Record<string, unknown>): Promise<PageOutcome> {
    const query = this.page.queries.find((one) => one.name === name);
    if (!query) {
      const names = this.page.queries.map((one) => one.name).join(', ');
      this.problems.add(`The page asks for a query "${name}", which it does not have. It has: ${names || 'none'}.`);
      return { error: { code: 'query_not_found', message: `There is no query "${name}".` } };
    }
    this.used.add(name);
    try {
      const outcome = await this.run(query, params);
      if ('error' in outcome) {
        this.problems.add(`${name} fails: ${outcome.error.message}`);
        return outcome;
      }
      const { columns, rows, truncated, asOf } = outcome;
      return { columns, rows, truncated, as_of: asOf.toISOString() };
    } catch {
      // Whoever waits for the check hears of it by the signal.
      return { error: { code: 'query_failed', message: 'The query was given up.' } };
    }
  }

  /** The same query with the same values runs once. */
  private run(query: NamedQuery, params: Record<string, unknown>): Promise<QueryOutcome> {
    let bound;
    try {
      bound = this.sources.bind(query, params);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return Promise.resolve({ error: { code: error.code, message: error.message } });
    }
    const key = JSON.stringify([query.name, Object.entries(bound).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    const known = this.known.get(key);
    if (known) return known;
    const outcome = new Promise<QueryOutcome>((answer, fail) => {
      if (this.waiting.length === 0) setTimeout(() => void this.runAll(), TOGETHER_MS);
      this.waiting.push({ query, params, answer, fail });
    });
    this.known.set(key, outcome);
    return outcome;
  }

  private async runAll(): Promise<void> {
    const asked = this.waiting;
    this.waiting = [];
    try {
      const outcomes = await this.sources.run(this.ownerId, asked, this.signal);
      for (const [at, { answer }] of asked.entries()) answer(outcomes[at]!);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

/** Whether it can be asked without values. */
const isWhole = ({ params }: NamedQuery): boolean => params.every((param) => param.default !== undefined);

function shown(name: string, { columns, rows, truncated }: Extract<QueryOutcome, { rows: unknown }>) {
  return {
    name,
    columns: columns.map((column) => `${column.name} ${column.type}`),
    rows: rows.length,
    first: rows.slice(0, SHOWN_ROWS),
    truncated,
  };
}

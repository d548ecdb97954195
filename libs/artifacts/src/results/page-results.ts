import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError, newId } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import type { NamedQuery, ParamValue } from '../queries/named-query.js';
import { SourceQueries, type AskedQuery } from '../queries/source-queries.js';
import { type KeptResult, MAKING_SECONDS, type ResultKey, type ResultPlace, ResultRows } from './result-rows.js';

/** A version whose queries are asked, and how often its results were retired. */
export interface AskedVersion extends ResultPlace {
  ownerId: number;
  refreshes: number;
  queries: readonly NamedQuery[];
}

export interface AskedResult {
  /** Of the query. */
  name: string;
  params: Readonly<Record<string, unknown>>;
}

export const RESULT_LIMITS = {
  /** Of one artifact, all versions together. */
  bytes: 32 * 1024 * 1024,
  results: 1000,
} as const;

/** Beyond what a query may take: then its makers, one after the other, have died. */
const PATIENCE_MS = 45_000;
const LOOK_MS = 40;
const LOOK_SELDOM_MS = 400;

/** One that could be asked: others have their outcome already. */
interface Bound extends ResultKey {
  asked: AskedQuery;
}

type Prepared = Bound | { error: { code: string; message: string } };

/**
 * What the queries of pages give (docs/contract/artifacts.md#results). Each is made once for all who ask the same at the same
 * time, on whatever replica: in this process they wait for one promise, elsewhere for the row that says who makes it.
 */
@Injectable()
export class PageResults {
  private readonly logger = new Logger(PageResults.name);
  private readonly making = new Map<string, Promise<KeptResult>>();

  constructor(
    private readonly rows: ResultRows,
    private readonly sources: SourceQueries,
  ) {}

  /** One outcome for each, in order: one that fails does not keep the others. */
  async read(version: AskedVersion, asked: readonly AskedResult[]): Promise<KeptResult[]> {
    const prepared = await this.prepare(version, asked);
    const bound = prepared.filter((one): one is Bound => !('error' in one));
    const kept = await this.rows.findCurrent(version, bound);
    const outcomes = new Map<Bound, Promise<KeptResult>>();
    const missing: Bound[] = [];
    bound.forEach((one, place) => {
      const known = kept.get(place);
      if (known) outcomes.set(one, Promise.resolve(known));
      else missing.push(one);
    });
    this.joinMaking(version, missing).forEach((outcome, place) => outcomes.set(missing[place]!, outcome));
    return Promise.all(prepared.map((one) => ('error' in one ? one : outcomes.get(one)!)));
  }

  /** The last ones that anybody was shown: no query runs, and no source is asked. */
  async readLast(version: AskedVersion, asked: readonly AskedResult[]): Promise<KeptResult[]> {
    const prepared = asked.map((one) => this.bind(version, one));
    const bound = prepared.filter((one): one is Bound => !('error' in one));
    const kept = await this.rows.findLast(version, bound);
    const places = new Map(bound.map((one, place) => [one, place]));
    return prepared.map((one) => {
      if ('error' in one) return one;
      return kept.get(places.get(one)!) ?? { error: notRendered(one.queryName) };
    });
  }

  private async prepare(version: AskedVersion, asked: readonly AskedResult[]): Promise<Prepared[]> {
    const bound = asked.map((one) => this.bind(version, one));
    const refs = new Set(bound.flatMap((one) => ('error' in one ? [] : [one.asked.query.sourceRef])));
    const revisions =
      refs.size > 0 ? await this.sources.revisions(version.ownerId, [...refs]) : new Map<string, string>();
    return bound.map((one) => {
      if ('error' in one) return one;
      const { sourceRef } = one.asked.query;
      const revision = revisions.get(sourceRef);
      if (revision === undefined) return { error: sourceGone(one.queryName) };
      return { ...one, stateKey: hashOf([version.ownerId, version.refreshes, sourceRef, revision]) };
    });
  }

  private bind({ queries }: AskedVersion, { name, params }: AskedResult): Prepared {
    const query = queries.find((known) => known.name === name);
    if (!query) return { error: { code: 'unknown_query', message: `The page has no query “${name.slice(0, 100)}”.` } };
    try {
      const values = this.sources.bind(query, params);
      return {
        queryName: name,
        paramsKey: hashOf(inOrder(values)),
        stateKey: Buffer.alloc(0),
        asked: { query, params: values },
      };
    } catch (error) {
      if (error instanceof DomainError) return { error: { code: error.code, message: error.message } };
      throw error;
    }
  }

  /** What is being made already in this process is waited for; the rest begins, all in one go. */
  private joinMaking(version: AskedVersion, missing: readonly Bound[]): Promise<KeptResult>[] {
    const fresh = new Map<string, Bound>();
    const ids = missing.map((one) => {
      const id = idOf(version, one);
      if (!this.making.has(id)) fresh.set(id, one);
      return id;
    });
    if (fresh.size > 0) {
      const all = this.make(version, [...fresh.values()]);
      [...fresh.keys()].forEach((id, place) => {
        const one = all.then((outcomes) => outcomes[place]!).finally(() => this.making.delete(id));
        // Whoever asks hears of it; nobody may be left to ask.
        one.catch(() => undefined);
        this.making.set(id, one);
      });
    }
    return ids.map((id) => this.making.get(id)!);
  }

  /** Makes those that nobody makes, and waits for the others. */
  private async make(version: AskedVersion, wanted: readonly Bound[]): Promise<KeptResult[]> {
    const outcomes = new Map<Bound, KeptResult>();
    let left = [...wanted];
    const until = performance.now() + PATIENCE_MS;
    for (let wait = LOOK_MS; left.length > 0; wait = Math.min(wait * 1.5, LOOK_SELDOM_MS)) {
      const maker = newId();
      const mine = await this.rows.claim(version, left, maker);
      const claimed = left.filter((_, place) => mine.has(place));
      if (claimed.length > 0) {
        const made = await this.run(version, claimed, maker);
        claimed.forEach((one, place) => outcomes.set(one, made[place]!));
        left = left.filter((one) => !outcomes.has(one));
        if (left.length === 0) break;
      }
      const kept = await this.rows.findCurrent(version, left);
      left.forEach((one, place) => kept.has(place) && outcomes.set(one, kept.get(place)!));
      left = left.filter((one) => !outcomes.has(one));
      if (left.length === 0) break;
      if (performance.now() > until) {
        for (const one of left) outcomes.set(one, { error: { code: 'timeout', message: 'The query took too long.' } });
        break;
      }
      await sleep(wait);
    }
    return wanted.map((one) => outcomes.get(one)!);
  }

  private async run(version: AskedVersion, claimed: readonly Bound[], maker: string): Promise<KeptResult[]> {
    const beat = setInterval(() => void this.hold(version, maker), (MAKING_SECONDS * 1000) / 3);
    try {
      const outcomes = await this.sources.run(
        version.ownerId,
        claimed.map(({ asked }) => asked),
      );
      const kept = outcomes.map((outcome): KeptResult => {
        if ('error' in outcome) return outcome;
        const { columns, rows, truncated, asOf } = outcome;
        return { result: JSON.stringify({ columns, rows, truncated }), asOf };
      });
      await Promise.all(claimed.map((one, place) => this.rows.keep(version, one, maker, kept[place]!)));
      await this.rows.trim(version.artifactId, RESULT_LIMITS);
      return kept;
    } catch (error) {
      await this.rows.release(version, maker).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(beat);
    }
  }

  private hold(version: AskedVersion, maker: string): Promise<void> {
    return this.rows
      .hold(version, maker)
      .catch((error: unknown) => this.logger.warn(`A result that is being made is not held: ${String(error)}`));
  }
}

const hashOf = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest();

/** The same values give the same key, in whatever order they were given. */
function inOrder(values: Record<string, ParamValue>): [string, ParamValue][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

function idOf({ artifactId, version }: ResultPlace, { queryName, paramsKey, stateKey }: ResultKey): string {
  return `${artifactId}:${version}:${queryName}:${paramsKey.toString('base64')}:${stateKey.toString('base64')}`;
}

const sourceGone = (name: string) => ({
  code: 'source_gone',
  message: `What the query “${name}” reads is not there any more.`,
});

const notRendered = (name: string) => ({
  code: 'no_stored_result',
  message: `The query “${name}” was not shown to anybody since the page was last changed.`,
});

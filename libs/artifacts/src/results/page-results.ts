import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { cutText, DomainError, newId } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import type { NamedQuery, ParamValue } from '../queries/named-query.js';
import { SourceQueries, type AskedQuery } from '../queries/source-queries.js';
import {
  type KeptResult,
  MAKING_SECONDS,
  type ResultError,
  type ResultKey,
  type ResultPlace,
  ResultRows,
} from './result-rows.js';

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
  /** Characters of one answer, whoever asks for how many results at once. */
  answer: 20_000_000,
} as const;

/** Beyond what a query may take: then its makers, one after the other, have died. */
const PATIENCE_MS = 45_000;
const LOOK_MS = 40;
const LOOK_SELDOM_MS = 400;

/** One that could be asked: others have their outcome already. */
interface Bound extends ResultKey {
  asked: AskedQuery;
}

type Prepared = Bound | { error: ResultError };

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

  /**
   * One outcome for each, in order: one that fails does not keep the others.
   * @throws NotFoundError `artifact_not_found` when it is deleted meanwhile
   */
  async read(version: AskedVersion, asked: readonly AskedResult[]): Promise<KeptResult[]> {
    const prepared = await this.prepare(version, asked);
    const wanted = onceEach(version, prepared);
    const kept = await this.rows.findCurrent(version, [...wanted.values()]);
    const outcomes = byId(wanted, kept);
    const missing = [...wanted.keys()].filter((id) => !outcomes.has(id));
    const making = this.joinMaking(version, new Map(missing.map((id) => [id, wanted.get(id)!])));
    const made = await Promise.all(making);
    missing.forEach((id, place) => outcomes.set(id, made[place]!));
    return withinAnswer(prepared.map((one) => ('error' in one ? one : outcomes.get(idOf(version, one))!)));
  }

  /** The last ones that anybody was shown: no query runs, and no source is asked. */
  async readLast(version: AskedVersion, asked: readonly AskedResult[]): Promise<KeptResult[]> {
    const prepared = asked.map((one) => this.bind(version, one));
    const wanted = onceEach(version, prepared);
    const outcomes = byId(wanted, await this.rows.findLast(version, [...wanted.values()]));
    return withinAnswer(
      prepared.map((one) => {
        if ('error' in one) return one;
        return outcomes.get(idOf(version, one)) ?? { error: notRendered(one.queryName) };
      }),
    );
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
    if (!query) return { error: { code: 'unknown_query', message: `The page has no query “${cutText(name, 100)}”.` } };
    try {
      const values = this.sources.bind(query, params);
      return {
        queryName: name,
        paramsKey: hashOf(inOrder(values)),
        stateKey: Buffer.alloc(0),
        asked: { query, params: values },
      };
    } catch (error) {
      if (error instanceof DomainError) return { error: { code: error.code, message: error.message, ...error.extra } };
      throw error;
    }
  }

  /** What is being made already in this process is waited for; the rest begins, all in one go. */
  private joinMaking(version: AskedVersion, missing: ReadonlyMap<string, Bound>): Promise<KeptResult>[] {
    const fresh = new Map([...missing].filter(([id]) => !this.making.has(id)));
    if (fresh.size > 0) {
      const all = this.make(version, [...fresh.values()]);
      [...fresh.keys()].forEach((id, place) => {
        const one = all.then((outcomes) => outcomes[place]!).finally(() => this.making.delete(id));
        // Whoever asks hears of it; nobody may be left to ask.
        one.catch(() => undefined);
        this.making.set(id, one);
      });
    }
    return [...missing.keys()].map((id) => this.making.get(id)!);
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
        if ('error' in outcome) return { error: storable(outcome.error) };
        const { columns, rows, truncated, asOf } = outcome;
        return { result: JSON.stringify({ columns, rows, truncated }), asOf };
      });
      await this.store(version, claimed, kept, maker);
      return kept;
    } catch (error) {
      await this.rows.release(version, maker).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(beat);
    }
  }

  /** What was made is given, whether it can be kept or not: others make it anew then. */
  private async store(
    version: AskedVersion,
    claimed: readonly Bound[],
    made: readonly KeptResult[],
    maker: string,
  ): Promise<void> {
    const stored = await Promise.allSettled(
      claimed.map((one, place) => this.rows.keep(version, one, maker, made[place]!)),
    );
    const failed = stored.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    try {
      if (failed) await this.rows.release(version, maker);
      await this.rows.trim(version.artifactId, RESULT_LIMITS);
      if (failed) throw failed.reason;
    } catch (error) {
      this.logger.warn(
        `Results of the artifact ${version.artifactId} are not kept: ${String(failed?.reason ?? error)}`,
      );
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

/** Each that is asked for, once, by its id. */
function onceEach(version: ResultPlace, prepared: readonly Prepared[]): Map<string, Bound> {
  return new Map(prepared.flatMap((one) => ('error' in one ? [] : [[idOf(version, one), one]])));
}

function byId(wanted: ReadonlyMap<string, Bound>, kept: ReadonlyMap<number, KeptResult>): Map<string, KeptResult> {
  const ids = [...wanted.keys()];
  return new Map([...kept].map(([place, one]) => [ids[place]!, one]));
}

/** In their order, as many as one answer may hold: the same result counts as often as it is asked for. */
function withinAnswer(results: readonly KeptResult[]): KeptResult[] {
  let left: number = RESULT_LIMITS.answer;
  return results.map((one) => {
    if ('error' in one) return one;
    if (one.result.length > left) return { error: TOO_LARGE };
    left -= one.result.length;
    return one;
  });
}

/** A database's own words may be anything; jsonb holds neither halves of characters nor NUL. */
function storable({ code, message }: ResultError): ResultError {
  return { code, message: message.toWellFormed().replaceAll('\0', '\uFFFD') };
}

const TOO_LARGE: ResultError = {
  code: 'query_too_large',
  message: 'The results are too large together. Ask for fewer at once.',
};

const sourceGone = (name: string) => ({
  code: 'source_gone',
  message: `What the query “${name}” reads is not there any more.`,
});

const notRendered = (name: string) => ({
  code: 'no_stored_result',
  message: `The query “${name}” was not shown to anybody since the page was last changed.`,
});

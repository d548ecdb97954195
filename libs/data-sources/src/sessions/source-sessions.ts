import { Injectable } from '@nestjs/common';
import type { DatabaseType } from '../shapes/source-shapes.js';
import { SourceOutcomes } from '../sources/source-outcomes.js';
import { type StoredSource, StoredSources } from '../sources/stored-source.js';
import { checkStatement } from '../statements/check-statement.js';
import { openSession } from './open-session.js';
import type { ReadSession } from './read-session.js';
import type { SourceOutcome, SourceResult, SourceStatement } from '../shapes/result-shapes.js';
import { SESSION_LIMITS, type SessionLimits } from './session-limits.js';
import { SessionPlaces } from './session-places.js';
import { SourceFailure } from '../shapes/source-failure.js';
import { SourceGuard } from '../sources/source-guard.js';

/** Statements at the databases that people connected: read-only, bounded, one session for a call. */
@Injectable()
export class SourceSessions {
  private readonly places: SessionPlaces;
  private readonly limits: SessionLimits;

  constructor(
    private readonly sources: StoredSources,
    private readonly outcomes: SourceOutcomes,
    private readonly guard: SourceGuard,
  ) {
    this.limits = SESSION_LIMITS;
    this.places = new SessionPlaces(this.limits.sessions, this.limits.sessionsOfOwner);
  }

  /**
   * One outcome for each statement, in order: one that fails does not keep the others. A database that cannot be reached
   * fails them all.
   * @throws NotFoundError (`source_not_found`) for a source that is not the owner's; the signal's reason
   */
  async run(
    ownerId: number,
    sourceId: number,
    statements: readonly SourceStatement[],
    signal?: AbortSignal,
  ): Promise<SourceOutcome[]> {
    signal?.throwIfAborted();
    const opened = await this.sources.get(ownerId, sourceId).catch(asFailure);
    if (opened instanceof SourceFailure) return statements.map(() => toOutcome(opened));
    const outcomes = statements.map(({ sql }) => refusalOf(sql, opened.type));
    if (outcomes.includes(null))
      await this.withSession(ownerId, opened, signal, (session, reopen) =>
        this.runEach(statements, outcomes, session, reopen),
      ).catch((error: unknown) => {
        // What was answered before the connection was lost stays.
        const failure = toOutcome(asFailure(error));
        outcomes.forEach((outcome, at) => (outcomes[at] = outcome ?? failure));
      });
    return outcomes as SourceOutcome[];
  }

  /**
   * A session for as long as `work` takes, and what connects anew where one broke off. Whether the database could be
   * reached is written down.
   * @throws SourceFailure; the signal's reason
   */
  async withSession<T>(
    ownerId: number,
    source: StoredSource,
    signal: AbortSignal | undefined,
    work: (session: ReadSession, reopen: () => Promise<ReadSession>) => Promise<T>,
  ): Promise<T> {
    const late = AbortSignal.timeout(this.limits.callMs);
    const either = signal ? AbortSignal.any([signal, late]) : late;
    const sessions: ReadSession[] = [];
    const open = async (): Promise<ReadSession> => {
      const session = await openSession(source, this.guard, either, this.limits);
      sessions.push(session);
      return session;
    };
    let release: (() => void) | undefined;
    try {
      release = await this.places.take(ownerId, either);
      const done = await work(await open(), open);
      await this.outcomes.reached(source);
      return done;
    } catch (error) {
      signal?.throwIfAborted();
      const failure = late.aborted && error === late.reason ? LATE : asFailure(error);
      if (failure.code === 'source_unavailable') await this.outcomes.failed(source, failure);
      throw failure;
    } finally {
      await Promise.all(sessions.map((session) => session.end()));
      release?.();
    }
  }

  /** Fills in the outcomes that are missing. */
  private async runEach(
    statements: readonly SourceStatement[],
    outcomes: (SourceOutcome | null)[],
    first: ReadSession,
    reopen: () => Promise<ReadSession>,
  ): Promise<void> {
    let session = first;
    let characters = 0;
    for (const [at, statement] of statements.entries()) {
      if (outcomes[at] !== null) continue;
      if (!session.isOpen) session = await reopen();
      const outcome = await session.select(statement).catch(asFailure);
      const all = characters + (outcome instanceof SourceFailure ? 0 : JSON.stringify(outcome.rows).length);
      const fits = all <= this.limits.allCharacters;
      if (fits) characters = all;
      outcomes[at] = toOutcome(fits ? outcome : BULKY);
    }
  }
}

const LATE = new SourceFailure('query_timeout', 'The database took too long to answer.');
const BULKY = new SourceFailure('query_too_large', 'The results of the queries are too large together.');

/** @throws what is none */
function asFailure(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  throw error;
}

function toOutcome(outcome: SourceResult | SourceFailure): SourceOutcome {
  if (!(outcome instanceof SourceFailure)) return outcome;
  const { code, message } = outcome;
  return { error: { code, message } };
}

/** What needs no connection to be refused. */
function refusalOf(sql: string, type: DatabaseType): SourceOutcome | null {
  try {
    checkStatement(sql, type);
    return null;
  } catch (error) {
    return toOutcome(asFailure(error));
  }
}

import { newId } from '@app/common';
import { instruments } from '@app/observability';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ClaimLostError, type Claim } from './claim.js';
import {
  aloneOwner,
  aloneStatement,
  claimStatement,
  endStatement,
  forgottenStatement,
  type HeldColumn,
  holdManyStatement,
  holdStatement,
  lostStatement,
  renewStatement,
  type Statement,
} from './claim-statements.js';
import type { Assignments, Param, WorkDefinition, WorkRules } from './define-work.js';

export interface FinishOptions {
  /** Further assignments, such as the state that people see. */
  set?: Assignments;
  /** An SQL expression: when there is more to do on the row; NULL, unless told: nothing. */
  nextAttempt?: Assignments;
}

export interface PostponeOptions {
  afterSeconds: number;
  /** A sentence for people; '' when nothing went wrong. */
  reason: string;
  /** Whether a try went wrong. */
  isTry: boolean;
  set?: Assignments;
}

interface ClaimedRow {
  claimKey: string[];
  claimFence: number;
  claimAttempt: number;
  wasLost: boolean;
  isSuspect: boolean;
  wasLostAlone: boolean;
}

export interface ForgottenRow<D extends WorkRules> {
  definition: D;
  key: string[];
  fence: number;
}

const MOST_FORGOTTEN = 100;
/** Others may be faster so often in a row; the sweep asks again for what then waits. */
const MOST_RACES = 50;
/** Whoever asked for the work adds its job at once: only after this has the job been lost. */
const UNANSWERED_SECONDS = 3;
const PASSED_ON_SECONDS = 1;
const UNIQUE_VIOLATION = '23505';

/**
 * Who works on which row (docs/contract/reliability.md#jobs), for all kinds of background work. For workers: nothing
 * here asks who is looking.
 */
@Injectable()
export class WorkClaims {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    /** For which a claim holds without a heartbeat. */
    private readonly leaseSeconds: number,
    /** Names the process, for people who look at the rows. */
    private readonly worker: string,
  ) {}

  /** Asks for work on the row, in the transaction that wants it; publish the receipt after commit. */
  async notify(
    definition: WorkRules,
    key: readonly (string | number)[],
    fence: number,
    tx: EntityManager,
    afterSeconds = 0,
  ): Promise<OutboxReceipt> {
    const job = { key: key.map(String), fence };
    return this.outbox.enqueue(definition.job, job, tx, { delayMs: afterSeconds * 1000 });
  }

  /** The same for many rows, in one statement. */
  async notifyAll(
    definition: WorkRules,
    rows: readonly { key: readonly (string | number)[]; fence: number }[],
    tx: EntityManager,
  ): Promise<OutboxReceipt[]> {
    const jobs = rows.map(({ key, fence }) => ({ key: key.map(String), fence }));
    return this.outbox.enqueueAll(definition.job, jobs, tx);
  }

  /** Leaves a job to another process, once this one has forgotten it. @param key as the job has it */
  async passOn(definition: WorkRules, key: readonly string[]): Promise<void> {
    await this.dataSource.transaction((tx) => this.notify(definition, key, 0, tx, PASSED_ON_SECONDS));
  }

  /**
   * Null when there is nothing to do, or not yet, or somebody else is at it.
   * @param key of the row, or of its lane
   * @param mayBeLost false: not where a worker was lost
   */
  async claim<Row extends object>(
    definition: WorkDefinition<Row>,
    key: readonly string[],
    { mayBeLost = true }: { mayBeLost?: boolean } = {},
  ): Promise<Claim<Row> | null> {
    const leaseOwner = `${this.worker}/${newId()}`;
    const { leaseSeconds } = this;
    const claimed = await this.take<Row>(
      definition,
      claimStatement(definition, key, { leaseOwner, leaseSeconds, mayBeLost }),
    );
    if (!claimed) return null;
    const { claimKey, claimFence: fence, claimAttempt: attempt, wasLost, isSuspect, wasLostAlone, ...row } = claimed;
    if (wasLost) instruments.leasesLost.inc({ work: definition.work });
    return {
      definition,
      key: claimKey,
      ...(definition.lane && { lane: key }),
      fence,
      leaseOwner,
      attempt,
      wasLost,
      isSuspect,
      wasLostAlone,
      row: row as unknown as Row,
    };
  }

  /** The row whose turn it is (`WorkDefinition.next`) among these classes, or that of the job. Null as for `claim`. */
  async claimDue<Row extends object>(
    definition: WorkDefinition<Row>,
    key: readonly string[],
    classes: readonly string[] = [],
  ): Promise<Claim<Row> | null> {
    if (!definition.next) return this.claim(definition, key);
    const lost: string[][] = [];
    let isEarly = definition.onEarlyJob !== undefined;
    while (lost.length < MOST_RACES) {
      const next = await definition.next(this.dataSource, lost, classes);
      if (next === null) {
        if (!isEarly) return null;
        await definition.onEarlyJob?.(this.dataSource, key);
        // Also where it wrote nothing: whoever added the job may have written the note in between.
        isEarly = false;
        continue;
      }
      const claim = await this.claim(definition, next);
      if (claim) return claim;
      lost.push(next);
    }
    return null;
  }

  /**
   * Holds on to the row until the end of the transaction, which writes what belongs to it.
   * @param isProgress the work gets on: tries are counted anew
   * @throws ClaimLostError: the transaction must not commit
   */
  async hold(
    claim: Claim,
    tx: EntityManager | DataSource = this.dataSource,
    options: { set?: Assignments; isProgress?: boolean } = {},
  ): Promise<void> {
    const rows = await changed(tx, holdStatement(claim, this.leaseSeconds, options));
    if (rows.length === 0) throw new ClaimLostError(claim);
    if (options.isProgress) claim.attempt = 0;
  }

  /**
   * The same for many claims of one definition at once, with values of their own as `mine.<name>`. @param tx must not
   * commit anything for those that are lost @returns those
   */
  async holdMany<C extends Claim>(
    claims: readonly C[],
    tx: EntityManager,
    options: { columns: readonly HeldColumn[]; set: string },
  ): Promise<C[]> {
    if (claims.length === 0) return [];
    const held = await changed<{ key: string[]; fence: number }>(
      tx,
      holdManyStatement(claims, this.leaseSeconds, options),
    );
    const names = new Set(held.map(nameOf));
    return claims.filter((claim) => !names.has(nameOf(claim)));
  }

  /**
   * Writes down that nothing else is at work beside it in this process; call it while no heartbeat of the claim is under
   * way. @returns the claim to go on with @throws ClaimLostError
   */
  async beginAlone<C extends Claim>(claim: C): Promise<C> {
    const rows = await changed(this.dataSource, aloneStatement(claim, this.leaseSeconds));
    if (rows.length === 0) throw new ClaimLostError(claim);
    return { ...claim, leaseOwner: aloneOwner(claim) };
  }

  /** Renews the leases of claims of one definition. @returns those that are lost */
  async renew<C extends Claim>(claims: readonly C[]): Promise<C[]> {
    const [first] = claims;
    if (!first) return [];
    const { text, values } = renewStatement(first.definition, claims, this.leaseSeconds);
    const held = await this.dataSource.query<{ key: string[] }[]>(text, values);
    const keys = new Set(held.map(({ key }) => key.join(':')));
    return claims.filter(({ key }) => !keys.has(key.join(':')));
  }

  /**
   * The work is at its end; where `nextAttempt` says that there is more, a job is added.
   * @throws ClaimLostError: the transaction must not commit
   */
  async finish(claim: Claim, options: FinishOptions = {}, tx?: EntityManager): Promise<void> {
    await this.end(claim, options, tx);
  }

  /** Lets go of the work, to be gone on with by anybody. @throws ClaimLostError */
  async postpone(
    claim: Claim,
    { afterSeconds, reason, isTry, set }: PostponeOptions,
    tx?: EntityManager,
  ): Promise<void> {
    const { onLetGo } = claim.definition;
    const options = {
      nextAttempt: (param: Param, attempts: string) =>
        unlessWantedAnew(claim, `now() + ${param(afterSeconds)} * interval '1 second'`, param, attempts),
      tries: (attempts: string) => (isTry ? attempts : `greatest(${attempts} - 1, 0)`),
      // A suspect stays one until it was tried.
      lastError: claim.isSuspect && !isTry ? null : reason,
      set: (param: Param) => [onLetGo, set?.(param)].filter(Boolean).join(', '),
    };
    await this.end(claim, options, tx, afterSeconds);
  }

  /** No further try. @param reason a sentence for people. @throws ClaimLostError */
  async giveUp(claim: Claim, reason: string): Promise<void> {
    const { onGivenUp } = claim.definition;
    const options = {
      nextAttempt: (param: Param, attempts: string) => unlessWantedAnew(claim, 'NULL', param, attempts),
      tries: (attempts: string) => attempts,
      lastError: reason,
      ...(onGivenUp && { set: () => onGivenUp }),
    };
    const receipt = await this.dataSource.transaction(async (tx) => {
      const job = await this.write(claim, options, tx);
      await claim.definition.whenGivenUp?.(claim.row, tx);
      return job;
    });
    if (receipt) this.outbox.publishSoon([receipt]);
  }

  /** Has rows show that their workers are lost (`WorkRules.onLost`). */
  async showLost(definition: WorkRules): Promise<void> {
    const { onLost } = definition;
    if (onLost) await changed(this.dataSource, lostStatement(definition, onLost, MOST_FORGOTTEN));
  }

  /** What nobody is at although its time has come: its worker was lost, or its job. */
  async listForgotten<D extends WorkRules>(definitions: readonly D[]): Promise<ForgottenRow<D>[]> {
    if (definitions.length === 0) return [];
    const rows = await this.dataSource.query<{ at: number; key: string[]; fence: number }[]>(
      forgottenStatement(definitions, MOST_FORGOTTEN, UNANSWERED_SECONDS),
    );
    return rows.map(({ at, ...row }) => ({ ...row, definition: definitions[at]! }));
  }

  private async take<Row extends object>(
    definition: WorkDefinition<Row>,
    statement: Statement,
  ): Promise<(ClaimedRow & Row) | undefined> {
    try {
      const [claimed] = await changed<ClaimedRow & Row>(this.dataSource, statement);
      return claimed;
    } catch (error) {
      // Whoever chooses its rows, too, may have been slower than somebody at the only one that may be at work.
      const chooses = definition.lane !== undefined || definition.next !== undefined;
      if (chooses && (error as { code?: unknown }).code === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
  }

  private async end(
    claim: Claim,
    options: Parameters<typeof endStatement>[1],
    tx?: EntityManager,
    afterSeconds = 0,
  ): Promise<void> {
    if (tx) await this.write(claim, options, tx, afterSeconds);
    else {
      const receipt = await this.dataSource.transaction((db) => this.write(claim, options, db, afterSeconds));
      if (receipt && afterSeconds === 0) this.outbox.publishSoon([receipt]);
    }
  }

  /** The end of a claim, and the job for what is left to do. */
  private async write(
    claim: Claim,
    options: Parameters<typeof endStatement>[1],
    tx: EntityManager,
    afterSeconds = 0,
  ): Promise<OutboxReceipt | null> {
    const { definition, key, lane, fence } = claim;
    const [row] = await changed<{ isDue: boolean }>(tx, endStatement(claim, options, afterSeconds));
    if (!row) throw new ClaimLostError(claim);
    return row.isDue ? this.notify(definition, lane ?? key, fence, tx, afterSeconds) : null;
  }
}

/** Whoever wants something else of a row under way sets its tries to 0: that is due at once, whatever became of this try. */
function unlessWantedAnew({ attempt }: Claim, otherwise: string, param: Param, attempts: string): string {
  return `CASE WHEN ${attempts} < ${param(attempt)} THEN now() ELSE ${otherwise} END`;
}

async function changed<T = unknown>(db: EntityManager | DataSource, { text, values }: Statement): Promise<T[]> {
  const [rows] = await db.query<[T[], number]>(text, values);
  return rows;
}

/** Of one claim on a row. */
const nameOf = ({ key, fence }: { key: readonly string[]; fence: number }) => `${key.join(':')} ${fence}`;

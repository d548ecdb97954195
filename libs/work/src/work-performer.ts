import { contextOfOrigin, currentContext, cutText, newId, runInContext } from '@app/common';
import { processSuspects } from '@app/isolation';
import { instruments, noteEnd } from '@app/observability';
import { Logger } from '@nestjs/common';
import { workerLost } from './claim-statements.js';
import { ClaimLostError, GiveUpError, TryAgainError, type Claim } from './claim.js';
import type { WorkClasses, WorkDefinition, WorkRules } from './define-work.js';
import { WorkerStoppingError, type LeaseKeeper } from './lease-keeper.js';
import { Neighbours } from './neighbours.js';
import { WorkSlots } from './work-slots.js';
import type { WorkClaims } from './work-claims.js';

/** How the work ended, for metrics and the log line. */
export interface WorkEnd {
  outcome: 'completed' | 'failed';
  /** Why it failed, as clients see it. */
  code?: string;
}

/**
 * Does the work and ends it with `WorkClaims.finish`. What it gives is how that was: completed, unless it says otherwise;
 * null: it has not ended, but waits. It ends early by a `GiveUpError`, a `TryAgainError`, or any other
 * error, which is written to the log and tried again.
 * @param signal aborts when the claim is lost or the process stops
 */
export type Work<Row extends object> = (claim: Claim<Row>, signal: AbortSignal) => Promise<WorkEnd | null | void>;

const LONGEST_MESSAGE = 500;

/** One try of one piece of work: claimed, kept, done, and its outcome written down. */
export class WorkPerformer {
  private readonly logger = new Logger(WorkPerformer.name);
  private readonly neighbours = new Neighbours();
  private readonly slots = new Map<WorkRules, { turns: Neighbours; slots: WorkSlots }>();

  constructor(
    private readonly claims: WorkClaims,
    private readonly keeper: LeaseKeeper,
    /** How many pieces of a kind of work this process does at a time. */
    private readonly slotsFor: (rules: WorkRules) => number = () => 1,
  ) {}

  /** @returns whether there was something to do, and nobody else at it */
  async perform<Row extends object>(
    definition: WorkDefinition<Row>,
    key: readonly string[],
    work: Work<Row>,
  ): Promise<boolean> {
    if (definition.classes) return this.performInClasses(definition, definition.classes, key, work);
    if (definition.lane) return this.performInLane(definition, key, work);
    if (definition.aloneAfterLoss) return this.performBesideOthers(definition, key, work, this.neighbours);
    const claim = await this.claims.claimDue(definition, key);
    if (!claim) return false;
    await this.begin(definition, key, claim, work);
    return true;
  }

  private async performInLane<Row extends object>(
    definition: WorkDefinition<Row>,
    lane: readonly string[],
    work: Work<Row>,
  ): Promise<boolean> {
    let isDone = false;
    while (!this.keeper.isStopping) {
      if (!(await this.performBesideSuspect(definition, lane, work))) return isDone;
      isDone = true;
    }
    await this.claims.passOn(definition, lane);
    return isDone;
  }

  private async performBesideSuspect<Row extends object>(
    definition: WorkDefinition<Row>,
    key: readonly string[],
    work: Work<Row>,
  ): Promise<boolean> {
    // Of this job alone: another one for the same lane must not free it.
    const suspect = newId();
    const mayBeLost = !definition.oneSuspectAtATime || processSuspects.take(suspect, Infinity);
    const leave = () => processSuspects.leave(suspect);
    try {
      const claim = await this.claims.claim(definition, key, { mayBeLost });
      if (!claim) return false;
      if (!claim.wasLost) leave();
      // What goes on without its claim keeps no slot.
      const asSuspect: Work<Row> = (held, signal) => {
        signal.addEventListener('abort', leave, { once: true });
        return work(held, signal);
      };
      await this.carryOut(definition, claim, claim.wasLost ? asSuspect : work);
      return true;
    } finally {
      leave();
    }
  }

  /** A job may have found no slot for its class: whoever is done goes on while there is work. */
  private async performInClasses<Row extends object>(
    definition: WorkDefinition<Row>,
    classes: WorkClasses<Row>,
    key: readonly string[],
    work: Work<Row>,
  ): Promise<boolean> {
    let kept = this.slots.get(definition);
    if (!kept) {
      kept = { turns: new Neighbours(), slots: new WorkSlots(classes, this.slotsFor(definition)) };
      this.slots.set(definition, kept);
    }
    const { slots } = kept;
    const turns = definition.aloneAfterLoss ? this.neighbours : kept.turns;
    let isDone = false;
    while (await this.performBesideOthers(definition, key, work, turns, slots)) isDone = true;
    return isDone;
  }

  /** A suspect ends before anything else of such kinds is begun. */
  private async performBesideOthers<Row extends object>(
    definition: WorkDefinition<Row>,
    key: readonly string[],
    work: Work<Row>,
    turns: Neighbours,
    slots?: WorkSlots,
  ): Promise<boolean> {
    const begun = await turns.inTurn(async () => {
      if (this.keeper.isStopping) {
        // The queue forgets a job once it is handled.
        await this.claims.passOn(definition, key);
        return null;
      }
      const claim = await this.claims.claimDue(definition, key, slots?.takeTurn());
      if (!claim) return null;
      const leave = definition.classes && slots?.begin(definition.classes.of(claim.row));
      const done = this.begin(definition, key, claim, work).finally(leave);
      if (claim.isSuspect) await done;
      // Not awaited here: the next one may be begun.
      return { done: turns.add(done) };
    });
    await begun?.done;
    return begun !== null;
  }

  /** What is logged is of the request that asked for the row, whatever led to it: its job, that of another row, a sweep. */
  private begin<Row extends object>(
    definition: WorkDefinition<Row>,
    asked: readonly string[],
    claim: Claim<Row>,
    work: Work<Row>,
  ): Promise<void> {
    const key = claim.key.join(':');
    const carryOut = () => this.carryOut(definition, claim, work);
    const origin = definition.originOf?.(claim.row);
    const asker = contextOfOrigin(origin ?? newId());
    const isTold = !origin || asker.requestId === currentContext()?.requestId;
    if (key === asked.join(':') && isTold) return carryOut();
    return runInContext({ ...asker, job: `${definition.job.name}:${key}` }, carryOut);
  }

  private async carryOut<Row extends object>(
    definition: WorkDefinition<Row>,
    claimed: Claim<Row>,
    work: Work<Row>,
  ): Promise<void> {
    let claim = claimed;
    let kept = this.keeper.keep(claim);
    const began = performance.now();
    const ended = (outcome: 'completed' | 'failed', code: string | null = null) =>
      noteEnd({
        work: definition.work,
        outcome,
        ids: definition.ids(claim.row),
        ownerId: definition.ownerOf(claim.row),
        code,
        seconds: (performance.now() - began) / 1000,
      });
    try {
      kept.signal.throwIfAborted();
      if (isSpent(claim)) throw new GiveUpError(spentReason(definition, workerLost(definition)), 'worker_lost');
      if (claim.isSuspect) {
        await this.neighbours.leave(kept.signal);
        await this.keeper.letGo(kept);
        kept.signal.throwIfAborted();
        claim = await this.claims.beginAlone(claim);
        kept = this.keeper.keep(claim);
        kept.signal.throwIfAborted();
      }
      const end = await work(claim, kept.signal);
      if (end !== null) ended(end?.outcome ?? 'completed', end?.code);
    } catch (error) {
      await this.keeper.letGo(kept);
      const failure = await this.settle(claim, kept.signal.aborted ? kept.signal.reason : error);
      if (failure !== null) ended('failed', failure);
    } finally {
      await this.keeper.letGo(kept);
    }
  }

  /** @returns the code with which the work was given up; null when somebody goes on with it */
  private async settle(claim: Claim, error: unknown): Promise<string | null> {
    try {
      return await this.decide(claim, error);
    } catch (late) {
      const { work } = claim.definition;
      if (late instanceof ClaimLostError) this.logger.log(late.message);
      // Its lease runs out, and a sweeper brings it back.
      else this.logger.error(`The end of ${work} ${claim.key.join(':')} could not be written: ${String(late)}`);
      return null;
    }
  }

  private async decide(claim: Claim, error: unknown): Promise<string | null> {
    const { definition, attempt } = claim;
    if (error instanceof ClaimLostError) throw error;
    if (error instanceof WorkerStoppingError) {
      await this.claims.postpone(claim, { afterSeconds: 0, reason: '', isTry: false });
      return null;
    }
    if (error instanceof GiveUpError) {
      await this.claims.giveUp(claim, error.message);
      return error.code;
    }
    const { message, code, isTry, afterSeconds } =
      error instanceof TryAgainError ? error : await this.unforeseen(claim, error);
    if (isTry && attempt >= definition.retry.tries) {
      const otherwise = attempt > 1 ? `It was tried ${attempt} times.` : undefined;
      await this.claims.giveUp(claim, spentReason(definition, message, otherwise));
      return code;
    }
    if (isTry) instruments.retries.inc({ work: definition.work });
    const { onRetry } = definition;
    await this.claims.postpone(claim, {
      afterSeconds: afterSeconds ?? definition.retry.delaySeconds(attempt),
      reason: message,
      isTry,
      ...(onRetry && { set: () => onRetry }),
    });
    return null;
  }

  /** @throws ClaimLostError: what broke since its row went, or somebody else has it, is no fault to tell of */
  private async unforeseen(claim: Claim, error: unknown): Promise<TryAgainError> {
    const { definition } = claim;
    try {
      await this.claims.hold(claim);
    } catch (late) {
      if (late instanceof ClaimLostError) throw late;
    }
    this.logger.error(error);
    const own = error instanceof Error ? error.message : String(error);
    return new TryAgainError(definition.unexpected ?? cutText(own, LONGEST_MESSAGE), { code: 'internal_error' });
  }
}

const spentReason = ({ triesSpent }: WorkRules, reason: string, otherwise?: string) =>
  [reason, triesSpent ?? otherwise].filter(Boolean).join(' ');

/** Whether no further try is left. Of a suspect that was lost alone, the first one, in which it was not, is one of them. */
function isSpent({ definition, attempt, wasLostAlone }: Claim): boolean {
  return attempt > (wasLostAlone ? Math.max(1, definition.retry.tries - 1) : definition.retry.tries);
}

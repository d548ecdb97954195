import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  TURN_HANDLERS,
  TurnNotifier,
  TurnClaims,
  TurnLogWriter,
  TurnLostError,
  toEndData,
  type Claim,
  type TurnEnd,
  type TurnHandler,
  type TurnOutcome,
  type TurnQuestion,
} from '@app/agents';
import { DomainError, newId, UnavailableError } from '@app/common';
import { executeTurnJob } from '@app/contracts';
import { processSuspects } from '@app/isolation';
import { LiveBus } from '@app/live';
import { instruments, noteEnd, withSpan } from '@app/observability';
import { HandlesJob, PeriodicTasks } from '@app/queues';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TURN_SETTINGS, type TurnSettings } from './turn-settings.js';
import { TurnReleasedError, TurnWork } from './turn-work.js';

/** A turn that more workers than this were lost with is given up: it may be what ends them. */
const MAX_LOSSES = 5;
const DRAIN_MS = 2000;
const RETRY_MS = 200;

const placeOf = (sessionId: number) => `turns of ${sessionId}`;

/** Takes the jobs of a conversation: works on its next turn, and on those behind it. */
@Injectable()
export class TurnWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TurnWorker.name);
  private readonly workerId = `${hostname()}:${process.pid}:${newId().slice(0, 8)}`;
  private readonly atWork = new Map<string, { work: TurnWork; done: Promise<void> }>();
  private readonly handlers: ReadonlyMap<string, TurnHandler>;
  private isDraining = false;

  constructor(
    private readonly claims: TurnClaims,
    private readonly writer: TurnLogWriter,
    private readonly notifier: TurnNotifier,
    private readonly live: LiveBus,
    private readonly tasks: PeriodicTasks,
    @Inject(TURN_HANDLERS) handlers: readonly TurnHandler[],
    @Inject(TURN_SETTINGS) private readonly settings: TurnSettings,
  ) {
    this.handlers = new Map(handlers.map((handler) => [handler.name, handler]));
    if (this.handlers.size < handlers.length) throw new Error('Two handlers of turns have one name.');
  }

  onApplicationBootstrap(): void {
    // Only quicker than the next heartbeat, so a subscription that comes late, with Redis, is good enough.
    this.live
      .subscribe('turns:stop', ({ turnId }) => this.atWork.get(turnId)?.work.abandon('stopped'))
      .catch((error: Error) => this.logger.warn(`Stops of turns are not pushed: ${error.message}`));
    this.tasks.every('leases of turns', this.settings.heartbeatSeconds, () => this.extendLeases());
  }

  @HandlesJob(executeTurnJob)
  async execute({ sessionId }: { sessionId: number }): Promise<void> {
    while (!this.isDraining) {
      const { leaseSeconds: lease, timeoutSeconds: timeout } = this.settings;
      const claim = await this.claimOne(sessionId, { lease, timeout });
      if (!claim) return;
      if (claim.turn.losses > 0) instruments.leasesLost.inc({ work: 'turn' });
      const work = new TurnWork(claim, this.writer, this.claims, this.settings);
      const done = this.carryOut(claim, work);
      this.atWork.set(claim.turn.id, { work, done });
      await done.finally(() => {
        work.close();
        this.atWork.delete(claim.turn.id);
        processSuspects.leave(placeOf(sessionId));
      });
    }
  }

  /** A turn over which a worker was lost is taken up as the only suspect of this process. */
  private async claimOne(sessionId: number, seconds: { lease: number; timeout: number }): Promise<Claim | null> {
    const place = placeOf(sessionId);
    const mayBeSuspect = processSuspects.take(place, seconds.lease * 1000);
    let claim: Claim | null = null;
    try {
      claim = await this.claims.claim(sessionId, this.workerId, seconds, mayBeSuspect);
      return claim;
    } finally {
      if (mayBeSuspect && !claim?.turn.losses) processSuspects.leave(place);
    }
  }

  /** Turns at work are given back with what was told of them; another worker goes on. */
  async onModuleDestroy(): Promise<void> {
    this.isDraining = true;
    const all = [...this.atWork.values()];
    await Promise.race([
      Promise.allSettled(all.map(({ work }) => work.flush())),
      new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref()),
    ]);
    for (const { work } of all) work.abandon('drained');
    const given = await this.claims.release(this.workerId);
    if (given.length === 0) return;
    this.logger.log(`Gave ${given.length} turns back.`);
    await this.notifier.notify(
      given.map(({ sessionId, turnId, attempt }) => ({ sessionId, bell: `${turnId}:${attempt}` })),
    );
  }

  private async carryOut(claim: Claim, work: TurnWork): Promise<void> {
    const { turn } = claim;
    this.publish(turn.conversationId, turn.id, claim.lastSeq, 'started', { attempt: turn.attempt });
    try {
      const outcome = await this.outcomeOf(work);
      await work.flush();
      if ('wait' in outcome) await this.suspend(work, outcome);
      else if (outcome.failure) await this.finish(work, { status: 'failed', outcome, error: outcome.failure });
      else await this.finish(work, { status: 'completed', outcome, error: null });
    } catch (error) {
      await this.fail(work, error);
    }
  }

  private outcomeOf(work: TurnWork): Promise<TurnOutcome> {
    const { turn } = work;
    if (turn.losses > MAX_LOSSES)
      throw new UnavailableError('The work on this turn broke off too often. Please ask again.', {
        code: 'worker_lost',
      });
    const handler = this.handlers.get(turn.handler);
    if (!handler) throw new Error(`No handler is called ${turn.handler}.`);
    const attributes = { 'atrium.turn.id': turn.id, 'atrium.turn.handler': turn.handler };
    return withSpan('answer turn', { attributes }, () => handler.run(work));
  }

  private async suspend(work: TurnWork, { wait, expiresAt }: Extract<TurnOutcome, { wait: unknown }>) {
    const { turn, log } = work;
    const question: TurnQuestion = { ...wait, expires_at: expiresAt?.toISOString() ?? null };
    const seq = await this.persistently(work, () => this.claims.suspend(turn, question));
    log.advance(seq);
    this.publish(turn.conversationId, turn.id, seq, 'question', question);
  }

  private async fail(work: TurnWork, error: unknown): Promise<void> {
    const reason: unknown = work.signal.aborted ? work.signal.reason : error;
    if (reason instanceof TurnReleasedError || error instanceof TurnLostError) return;
    if (!(reason instanceof DomainError) || reason.cause !== undefined) this.logger.error(reason);
    const known = reason instanceof DomainError ? reason : null;
    const published = { code: known?.code ?? 'internal_error', detail: known?.message ?? 'The answer broke off.' };
    try {
      await work.flush();
      await this.finish(work, { status: 'failed', outcome: null, error: published });
    } catch (cause) {
      // Its lease runs out, and the turn is taken up again.
      if (!(cause instanceof TurnLostError)) this.logger.error(cause);
    }
  }

  /** While the database is away, for as long as the turn is surely ours. */
  private async persistently<T>(work: TurnWork, write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (error instanceof TurnLostError || work.log.isLost || Date.now() > work.heldUntil) throw error;
        this.logger.warn(`The end of the turn ${work.turn.id} is not written yet: ${String(error)}`);
        await sleep(RETRY_MS);
      }
    }
  }

  private async finish(
    work: TurnWork,
    {
      status,
      outcome,
      error,
    }: Pick<TurnEnd, 'status' | 'error'> & { outcome: Exclude<TurnOutcome, { wait: unknown }> | null },
  ): Promise<void> {
    const { turn, published } = work;
    const usage = outcome?.usage ?? null;
    const end: TurnEnd = {
      status,
      answer: published.text,
      sources: published.sources ?? [],
      usage,
      model: outcome?.model ?? '',
      extras: outcome?.extras ?? null,
      error,
    };
    const seq = await this.persistently(work, () => this.claims.finish(turn, end));
    const { id: turnId, sessionId, handler, userId: ownerId, attempt } = turn;
    const ids = { turnId, sessionId, handler, attempt };
    const ended = status === 'interrupted' ? 'stopped' : status;
    noteEnd({ work: 'turn', outcome: ended, ids, ownerId, code: error?.code ?? null, seconds: work.seconds });
    this.publish(turn.conversationId, turn.id, seq, 'end', toEndData({ status, usage, error }));
  }

  private publish(conversationId: string, turnId: string, seq: number, type: string, data: unknown): void {
    this.live.publish(`turn:${turnId}`, { events: [{ seq, type, data }] });
    this.live.publish(`conversation:${conversationId}`, { turnId });
  }

  private async extendLeases(): Promise<void> {
    const works = [...this.atWork.values()].map(({ work }) => work);
    if (works.length === 0) return;
    const { leaseSeconds } = this.settings;
    const from = Date.now();
    try {
      const turns = works.map(({ turn }) => turn);
      const held = await this.claims.extend(turns, leaseSeconds);
      for (const work of works)
        if (held.has(work.turn.id)) {
          work.heldUntil = from + leaseSeconds * 1000;
          processSuspects.renew(placeOf(work.turn.sessionId), leaseSeconds * 1000);
        } else work.abandon('lost');
    } finally {
      for (const work of works) if (Date.now() > work.heldUntil) work.abandon('lost');
    }
  }
}

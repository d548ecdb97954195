import { setTimeout as sleep } from 'node:timers/promises';
import {
  TURN_HANDLERS,
  TurnClaims,
  TurnLogWriter,
  TurnTracing,
  toEndData,
  turnWork,
  type TurnEnd,
  type TurnHandler,
  type TurnOutcome,
  type TurnQuestion,
  type TurnRow,
} from '@app/agents';
import { DomainError } from '@app/common';
import { LiveBus } from '@app/live';
import { withSpan } from '@app/observability';
import { ClaimLostError, Performs, WorkerStoppingError, type Claim, type WorkEnd } from '@app/work';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { TURN_SETTINGS, type TurnSettings } from './turn-settings.js';
import { TurnAtWork } from './turn-at-work.js';

/** For which a process that stops writes down what was told. */
const DRAIN_MS = 2000;
const RETRY_MS = 200;

/** Works on turns, each with the handler of its kind. */
@Injectable()
export class TurnWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger(TurnWorker.name);
  private readonly atWork = new Map<string, TurnAtWork>();
  private readonly handlers: ReadonlyMap<string, TurnHandler>;

  constructor(
    private readonly claims: TurnClaims,
    private readonly writer: TurnLogWriter,
    private readonly live: LiveBus,
    private readonly tracing: TurnTracing,
    @Inject(TURN_HANDLERS) handlers: readonly TurnHandler[],
    @Inject(TURN_SETTINGS) private readonly settings: TurnSettings,
  ) {
    this.handlers = new Map(handlers.map((handler) => [handler.name, handler]));
    if (this.handlers.size < handlers.length) throw new Error('Two handlers of turns have one name.');
  }

  onApplicationBootstrap(): void {
    // Only quicker than the next heartbeat, so a subscription that comes late, with Redis, is good enough.
    this.live
      .subscribe('turns:stop', ({ turnId }) => this.atWork.get(turnId)?.abandon())
      .catch((error: Error) => this.logger.warn(`Stops of turns are not pushed: ${error.message}`));
  }

  @Performs(turnWork)
  async answer(claim: Claim<TurnRow>, signal: AbortSignal): Promise<WorkEnd | null> {
    const { timeoutSeconds } = this.settings;
    const begun = await this.claims.begin(claim, timeoutSeconds);
    const work = new TurnAtWork(claim, begun, this.writer, this.claims, this.tracing, timeoutSeconds);
    const { turn } = work;
    const leave = () => void this.leave(work, signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    this.atWork.set(turn.id, work);
    try {
      this.publish(turn, begun.lastSeq, 'started', { attempt: turn.attempt });
      return await this.carryOut(work);
    } finally {
      signal.removeEventListener('abort', leave);
      work.close();
      this.atWork.delete(turn.id);
    }
  }

  /** A turn of a process that stops is given back with what was told of it; another worker goes on. */
  private async leave(work: TurnAtWork, reason: unknown): Promise<void> {
    if (reason instanceof WorkerStoppingError)
      await Promise.race([work.flush().catch(() => undefined), sleep(DRAIN_MS, null, { ref: false })]);
    work.abandon();
  }

  private async carryOut(work: TurnAtWork): Promise<WorkEnd | null> {
    try {
      const outcome = await Promise.race([this.outcomeOf(work), work.released]);
      await work.settle();
      if ('wait' in outcome) return await this.suspend(work, outcome);
      if (outcome.failure) return await this.finish(work, { status: 'failed', outcome, error: outcome.failure });
      return await this.finish(work, { status: 'completed', outcome, error: null });
    } catch (error) {
      return this.fail(work, error);
    }
  }

  private outcomeOf(work: TurnAtWork): Promise<TurnOutcome> {
    const { turn } = work;
    const handler = this.handlers.get(turn.handler);
    if (!handler) throw new Error(`No handler is called ${turn.handler}.`);
    const attributes = { 'atrium.turn.id': turn.id, 'atrium.turn.handler': turn.handler };
    return withSpan('answer turn', { attributes }, () => handler.run(work));
  }

  private async suspend(work: TurnAtWork, { wait, expiresAt }: Extract<TurnOutcome, { wait: unknown }>): Promise<null> {
    const question: TurnQuestion = { ...wait, expires_at: expiresAt?.toISOString() ?? null };
    const seq = await this.persistently(work, () => this.claims.suspend(work.claim, question));
    this.publish(work.turn, seq, 'question', question);
    return null;
  }

  private async fail(work: TurnAtWork, error: unknown): Promise<WorkEnd> {
    const reason: unknown = work.signal.aborted ? work.signal.reason : error;
    if (error instanceof ClaimLostError || work.isReleased) throw error instanceof ClaimLostError ? error : reason;
    if (!(reason instanceof DomainError) || reason.cause !== undefined) this.logger.error(reason);
    const known = reason instanceof DomainError ? reason : null;
    const shown = { code: known?.code ?? 'internal_error', detail: known?.message ?? 'The answer broke off.' };
    await work.settle();
    return this.finish(work, { status: 'failed', outcome: null, error: shown });
  }

  /** While the database is away, for as long as the turn is surely ours. */
  private async persistently<T>(work: TurnAtWork, write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (error instanceof ClaimLostError || work.log.isLost) throw error;
        this.logger.warn(`The end of the turn ${work.turn.id} is not written yet: ${String(error)}`);
        await sleep(RETRY_MS);
      }
    }
  }

  private async finish(
    work: TurnAtWork,
    {
      status,
      outcome,
      error,
    }: { status: WorkEnd['outcome']; outcome: Exclude<TurnOutcome, { wait: unknown }> | null; error: TurnEnd['error'] },
  ): Promise<WorkEnd> {
    const { published } = work;
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
    const seq = await this.persistently(work, () => this.claims.finish(work.claim, end));
    this.publish(work.turn, seq, 'end', toEndData({ status, usage, error }));
    return error ? { outcome: status, code: error.code } : { outcome: status };
  }

  private publish({ id, conversationId }: TurnRow, seq: number, type: string, data: unknown): void {
    this.live.publish(`turn:${id}`, { events: [{ seq, type, data }] });
    this.live.publish(`conversation:${conversationId}`, { turnId: id });
  }
}

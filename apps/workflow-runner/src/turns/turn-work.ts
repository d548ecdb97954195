import { GatewayTimeoutError } from '@app/common';
import type { TurnSettings } from './turn-settings.js';
import type { Claim, TurnClaims, TurnContext, TurnLog, TurnLogWriter } from '@app/agents';

/** Why the work on a turn ends without an end of the turn. */
export class TurnReleasedError extends Error {}

/** One turn at work: what its handler sees, and what the worker stops it with. */
export class TurnWork implements TurnContext {
  readonly turn: Claim['turn'];
  readonly resume: Claim['resume'];
  readonly log: TurnLog;
  private readonly begunAt = performance.now();
  private readonly stopped = new AbortController();
  /** Milliseconds since the epoch: without word from the database until then, it may be somebody else's. */
  heldUntil: number;
  private readonly deadline: NodeJS.Timeout;
  private publishedSources: readonly unknown[] | null;
  private publishedText: string;

  constructor(
    claim: Claim,
    writer: TurnLogWriter,
    private readonly claims: TurnClaims,
    { leaseSeconds, timeoutSeconds }: Pick<TurnSettings, 'leaseSeconds' | 'timeoutSeconds'>,
  ) {
    this.heldUntil = Date.now() + leaseSeconds * 1000;
    this.turn = claim.turn;
    this.resume = claim.resume;
    this.publishedSources = claim.published.sources;
    this.publishedText = claim.published.text;
    const from = { seq: claim.lastSeq, offset: claim.published.text.length };
    this.log = writer.open(claim.turn.id, claim.turn.attempt, from, () => this.abandon('lost'));
    this.deadline = setTimeout(
      () =>
        this.stopped.abort(
          new GatewayTimeoutError(`The turn took longer than ${timeoutSeconds} s.`, { code: 'turn_timeout' }),
        ),
      Math.max(0, claim.turn.deadlineAt.getTime() - Date.now()),
    );
  }

  /** Since this worker took the turn up. */
  get seconds(): number {
    return (performance.now() - this.begunAt) / 1000;
  }

  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  get published(): TurnContext['published'] {
    return { sources: this.publishedSources, text: this.publishedText };
  }

  sources(sources: readonly unknown[]): void {
    if (this.publishedSources) return;
    this.publishedSources = sources;
    this.log.append({ type: 'sources', data: { sources } });
  }

  text(piece: string): void {
    this.publishedText += this.log.text(piece);
  }

  stage(eventType: string, event: Record<string, unknown> | string | null = null): void {
    this.log.append({ type: 'stage', data: { event_type: eventType, event } });
  }

  flush(): Promise<void> {
    return this.log.flush();
  }

  async saveState(state: Record<string, unknown>): Promise<void> {
    await this.log.flush();
    await this.claims.saveState(this.turn, state);
  }

  /** The turn is somebody else's, or shall be: the handler stops, and nothing more is told. */
  abandon(reason: 'lost' | 'stopped' | 'drained'): void {
    this.stopped.abort(new TurnReleasedError(`The turn was ${reason}.`));
    this.log.lose();
  }

  close(): void {
    clearTimeout(this.deadline);
  }
}

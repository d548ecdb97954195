import { GatewayTimeoutError } from '@app/common';
import { ClaimLostError, type Claim } from '@app/work';
import type { BegunWork, KeptTexts, TurnClaims, TurnContext, TurnLog, TurnLogWriter, TurnRow } from '@app/agents';

/** One turn at work: what its handler sees, and what the worker stops it with. */
export class TurnAtWork implements TurnContext {
  readonly turn: TurnRow;
  readonly deadlineAt: Date;
  readonly resume: TurnContext['resume'];
  readonly log: TurnLog;
  /** Rejects when the turn is somebody else's, or shall be. */
  readonly released: Promise<never>;
  private readonly stopped = new AbortController();
  private readonly deadline: NodeJS.Timeout;
  private publishedSources: readonly unknown[] | null;
  private publishedText: string;

  constructor(
    readonly claim: Claim<TurnRow>,
    { deadlineAt, lastSeq, sources, text }: BegunWork,
    writer: TurnLogWriter,
    private readonly claims: TurnClaims,
    timeoutSeconds: number,
  ) {
    this.turn = claim.row;
    const { pending: question, reply } = claim.row;
    this.resume = question && { question, reply };
    this.deadlineAt = deadlineAt;
    this.publishedSources = sources;
    this.publishedText = text;
    this.log = writer.open(claim.row.id, claim.fence, { seq: lastSeq, offset: text.length }, () => this.abandon());
    this.deadline = setTimeout(
      () =>
        this.stopped.abort(
          new GatewayTimeoutError(`The turn took longer than ${timeoutSeconds} s.`, { code: 'turn_timeout' }),
        ),
      Math.max(0, deadlineAt.getTime() - Date.now()),
    );
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.released = promise;
    this.signal.addEventListener('abort', () => {
      if (this.isReleased) reject(this.signal.reason as Error);
    });
  }

  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  /** The claim is lost, or to be given back: nothing more is told. */
  get isReleased(): boolean {
    return this.signal.reason instanceof ClaimLostError;
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

  async saveState(state: Record<string, unknown>, added: KeptTexts | null = null): Promise<void> {
    await this.log.flush();
    await this.claims.saveState(this.claim, state, added);
  }

  keptTexts(): Promise<KeptTexts[]> {
    return this.claims.keptTexts(this.claim);
  }

  /** The turn is somebody else's, or shall be: the handler stops, and nothing more is told. */
  abandon(): void {
    this.stopped.abort(new ClaimLostError(this.claim));
    this.log.lose();
  }

  close(): void {
    clearTimeout(this.deadline);
  }
}

import { once } from 'node:events';
import type { StoredTurnEvent, TurnEndData } from '@app/agents';
import { ConflictError, type DomainError } from '@app/common';
import type { Response } from 'express';
import { toTurnFailure } from './turn-failure.js';
import { beginEventStream } from '../http/event-stream.js';
import type { AnswerFraming } from './answer-framing.js';

const SIGN_MS = 15_000;
const INTERRUPTED = { code: 'turn_interrupted', detail: 'The answer was stopped.' };

/**
 * Writes a turn as its answer. Before the first piece of text has come nothing is sent, so that a turn that fails before
 * it says anything is an ordinary error; a client of events that has waited long is sent a sign of life.
 */
export class AnswerWriter {
  private readonly held: StoredTurnEvent[] = [];
  private writtenAt = performance.now();

  /** @param signal aborts when the client has gone, or may not have more */
  constructor(
    private readonly response: Response,
    private readonly turn: { turnId: string; sessionId: number },
    private readonly framing: AnswerFraming,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether the client has been sent anything. */
  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /** @returns whether that was the end. @throws what the turn failed with before it told anything, the signal's reason */
  async tell(event: StoredTurnEvent): Promise<boolean> {
    if (event.type === 'sources') this.held.push(event);
    if (event.type === 'delta') await this.write(event);
    if (event.type === 'end') await this.end(event.seq, event.data);
    return event.type === 'end';
  }

  /** Nothing came for a while. */
  async wait(): Promise<void> {
    const { sign } = this.framing;
    if (sign === null || performance.now() - this.writtenAt < SIGN_MS) return;
    this.begin();
    await this.send(sign);
  }

  /** The turn is no more. */
  breakOff(): void {
    this.response.destroy();
  }

  /** The client may not have more. @throws the error before anything was sent */
  refuse(error: DomainError): void {
    if (!this.response.headersSent) throw error;
    if (!this.response.writableEnded) this.endWith(this.framing.error(error.code, error.message));
  }

  private async write(event?: StoredTurnEvent): Promise<void> {
    this.begin();
    for (const each of [...this.held.splice(0), ...(event ? [event] : [])]) {
      const { seq, type, data } = each;
      if (type === 'sources') await this.send(this.framing.sources(data.sources, seq));
      if (type === 'delta') await this.send(this.framing.delta(data.text, seq));
    }
  }

  private async end(seq: number, { status, error, usage }: TurnEndData): Promise<void> {
    const { turnId } = this.turn;
    const failure = status === 'completed' ? null : (error ?? INTERRUPTED);
    if (failure === null) {
      // An answer without a word is an answer all the same.
      await this.write();
      this.response.end(this.framing.done(turnId, usage, seq));
      return;
    }
    if (!this.response.headersSent) throw status === 'failed' ? toTurnFailure(failure, turnId) : interrupted(turnId);
    this.endWith(this.framing.error(failure.code, failure.detail, seq));
  }

  /** Without the last chunk the client can tell that the text is not complete. */
  private endWith(frame: string | null): void {
    if (frame === null) this.response.destroy();
    else this.response.end(frame);
  }

  /** Sends the headers; what fails from here on breaks the answer off. */
  begin(): void {
    if (this.response.headersSent) return;
    const { turnId, sessionId } = this.turn;
    beginEventStream(this.response, { 'X-Turn-Id': turnId, 'X-Chat-Session-Id': String(sessionId) });
  }

  private async send(text: string): Promise<void> {
    this.signal.throwIfAborted();
    if (text === '') return;
    this.writtenAt = performance.now();
    if (!this.response.write(text)) await once(this.response, 'drain', { signal: this.signal });
  }
}

function interrupted(turnId: string): ConflictError {
  return new ConflictError(INTERRUPTED.detail, { code: INTERRUPTED.code, extra: { turn_id: turnId } });
}

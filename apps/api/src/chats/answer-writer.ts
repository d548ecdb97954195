import { once } from 'node:events';
import { DomainError } from '@app/common';
import type { AnswerStream } from '@app/integrations';
import { Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { AnswerFraming } from './answer-framing.js';
import { beginEventStream } from '../http/event-stream.js';
import type { TurnOutcome } from './chat-turns.js';

export interface AnswerToWrite {
  turnId: string;
  sessionId: number;
  /** As the client gets them, whatever their shape. */
  sources: readonly unknown[];
  stream: AnswerStream;
  framing: AnswerFraming;
  /** Aborts when the client has gone. */
  signal: AbortSignal;
  /** Keeps a whole answer before its last byte leaves: whoever has read it may ask on at once. */
  keep(outcome: TurnOutcome): Promise<void>;
}

const logger = new Logger('Answers');

/**
 * Writes a streamed answer and says how it ended; a completed one is kept already. Before the first piece has come nothing is sent, so that a model
 * that does not answer at all is an ordinary error.
 * @throws what the stream throws before its first piece
 */
export async function writeAnswer(response: Response, written: AnswerToWrite): Promise<TurnOutcome> {
  const { stream, framing, signal } = written;
  const pieces = stream[Symbol.asyncIterator]();
  let answer = '';
  try {
    let next = await pieces.next();
    signal.throwIfAborted();
    begin(response, written);
    await send(response, framing.sources(written.sources), signal);
    for (; !next.done; next = await pieces.next()) {
      answer += next.value;
      await send(response, framing.delta(next.value), signal);
    }
    const usage = stream.usage();
    await written.keep({ status: 'completed', answer, usage });
    response.end(framing.done(written.turnId, usage));
    return { status: 'completed', answer, usage };
  } catch (error) {
    if (signal.aborted) return { status: 'interrupted', answer, usage: null };
    if (!response.headersSent) throw error;
    return { status: 'failed', answer, usage: null, errorCode: breakOff(response, framing, error) };
  } finally {
    // Ends the call to the model when the client has gone.
    await pieces.return?.();
  }
}

function begin(response: Response, { turnId, sessionId }: AnswerToWrite): void {
  beginEventStream(response, { 'X-Turn-Id': turnId, 'X-Chat-Session-Id': String(sessionId) });
}

async function send(response: Response, text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (text !== '' && !response.write(text)) await once(response, 'drain', { signal });
}

function breakOff(response: Response, framing: AnswerFraming, error: unknown): string {
  logger.error(error instanceof Error ? (error.cause ?? error) : error);
  const known = error instanceof DomainError ? error : null;
  const code = known?.code ?? 'internal_error';
  const frame = framing.error(code, known?.message ?? 'The answer broke off.');
  // Without the last chunk the client can tell that the text is not complete.
  if (frame === null) response.destroy();
  else response.end(frame);
  return code;
}

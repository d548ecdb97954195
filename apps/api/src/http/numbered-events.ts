import { once } from 'node:events';
import type { DomainError } from '@app/common';
import type { Response } from 'express';
import { beginEventStream } from './event-stream.js';
import { followUntilLeft } from './open-answers.js';

/** A connection that carries nothing is closed by proxies (docs/contract/conventions.md#streams). */
const COMMENT_MS = 15_000;

/** An event of a log: a client that comes back names the `seq` of the last one it had. */
export interface NumberedEvent {
  /** Null: no part of the log, and nothing to come back to. */
  seq: number | null;
  event: string;
  data: unknown;
}

/**
 * Writes events until they end, the client goes, or this process is about to: then the client comes back to another.
 * @param ended aborts with a DomainError when the client may not have more; it is told as the event `error`
 * @param events null: nothing new for the moment
 */
export async function writeNumberedEvents(
  response: Response,
  headers: Readonly<Record<string, string>>,
  ended: AbortSignal,
  events: (signal: AbortSignal) => AsyncIterable<NumberedEvent | null>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  ended.addEventListener('abort', () => {
    const { code, message: detail } = ended.reason as DomainError;
    if (!response.writableEnded) response.end(toText({ seq: null, event: 'error', data: { code, detail } }));
    gone.abort();
  });
  followUntilLeft(response, () => gone.abort());
  beginEventStream(response, headers);
  let written = Date.now();
  for await (const numbered of events(gone.signal)) {
    if (gone.signal.aborted) break;
    if (numbered === null && Date.now() - written < COMMENT_MS) continue;
    written = Date.now();
    if (!response.write(toText(numbered)))
      await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  response.end();
}

function toText(numbered: NumberedEvent | null): string {
  if (!numbered) return ': \n\n';
  const id = numbered.seq === null ? '' : `id: ${numbered.seq}\n`;
  return `${id}event: ${numbered.event}\ndata: ${JSON.stringify(numbered.data)}\n\n`;
}

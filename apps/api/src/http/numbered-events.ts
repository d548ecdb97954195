import { once } from 'node:events';
import type { DomainError } from '@app/common';
import type { Request, Response } from 'express';
import { beginEventStream } from './event-stream.js';
import { followUntilLeft } from './open-answers.js';

/** A connection that carries nothing is closed by proxies (docs/contract/conventions.md#streams). */
const COMMENT_MS = 15_000;
/** So long whoever comes back waits at most to be told that there is something to follow. */
const LOOK_MS = 1000;
const LAST_EVENT_ID = /^\d{1,9}$/;

/** An event of a log: a client that comes back names the `seq` of the last one it had. */
export interface NumberedEvent {
  /** Null: no part of the log, and nothing to come back to. */
  seq: number | null;
  event: string;
  data: unknown;
}

/** The number of the last event that a client has had; null for one that does not say. */
export function lastEventOf(request: Request): number | null {
  const given = request.get('last-event-id') ?? '';
  return LAST_EVENT_ID.test(given) ? Number(given) : null;
}

/**
 * Writes events until they end, the client goes, or this process is about to: then the client comes back to another.
 * Whoever names the last event and comes back with it has had them all: 204, by which a browser stops coming.
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
    if (!response.writableEnded) {
      begin();
      response.end(toText({ seq: null, event: 'error', data: { code, detail } }));
    }
    gone.abort();
  });
  followUntilLeft(response, () => gone.abort());
  const begin = () => {
    if (!response.headersSent) beginEventStream(response, headers);
  };
  const { req: request } = response;
  const isBack = request.method === 'GET' && lastEventOf(request) !== null;
  if (!isBack) begin();
  const look = setTimeout(begin, LOOK_MS);
  response.once('close', () => clearTimeout(look));
  let written = Date.now();
  for await (const numbered of events(gone.signal)) {
    if (gone.signal.aborted) break;
    begin();
    if (numbered === null && Date.now() - written < COMMENT_MS) continue;
    written = Date.now();
    if (!response.write(toText(numbered)))
      await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  clearTimeout(look);
  if (gone.signal.aborted) begin();
  if (!response.headersSent) response.status(204).set(headers);
  response.end();
}

function toText(numbered: NumberedEvent | null): string {
  if (!numbered) return ': \n\n';
  const id = numbered.seq === null ? '' : `id: ${numbered.seq}\n`;
  return `${id}event: ${numbered.event}\ndata: ${JSON.stringify(numbered.data)}\n\n`;
}

import { once } from 'node:events';
import type { Response } from 'express';
import { beginEventStream } from '../http/event-stream.js';
import type { StoredEvent } from './authoring.types.js';

/** A connection that carries nothing is closed by proxies (document 3, B8.6). */
const COMMENT_MS = 15_000;

/** Writes events until they end or the client goes. @param events null: nothing new for the moment */
export async function writeEventStream(
  response: Response,
  turnId: string,
  events: (signal: AbortSignal) => AsyncIterable<StoredEvent | null>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  beginEventStream(response, { 'X-Turn-Id': turnId });
  let written = Date.now();
  for await (const stored of events(gone.signal)) {
    if (gone.signal.aborted) return;
    if (stored === null && Date.now() - written < COMMENT_MS) continue;
    const text =
      stored === null
        ? ': \n\n'
        : `id: ${stored.seq}\nevent: ${stored.event}\ndata: ${JSON.stringify(stored.data)}\n\n`;
    written = Date.now();
    if (!response.write(text)) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  response.end();
}

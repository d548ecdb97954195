import type { Response } from 'express';

/** Begins an answer that comes in pieces: the status, and headers that keep proxies from holding it back. */
export function beginEventStream(response: Response, headers: Readonly<Record<string, string>> = {}): void {
  response.status(200);
  // Not through express, which would add a charset: clients compare the whole value.
  response.setHeader('Content-Type', 'text/event-stream');
  response.setHeader('Cache-Control', 'no-store, no-transform');
  response.setHeader('X-Accel-Buffering', 'no');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.flushHeaders();
}

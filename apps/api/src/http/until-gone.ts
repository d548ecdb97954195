import type { Response } from 'express';

/** Nobody waits for an answer any more when the client has hung up. */
export function untilGone(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

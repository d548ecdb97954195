import type { NextFunction, Request, RequestHandler, Response } from 'express';

const SETTING = 'atrium body ms';

/** How long a body that is read at once may take, in milliseconds. */
export function bodyMillisecondsOf(request: Request): number {
  return (request.app.get(SETTING) as number | undefined) ?? 30_000;
}

/**
 * Ends requests whose body stands still (408): whoever holds connections open with a byte now and then, holds nothing
 * else. Bodies that are read at once have a deadline as a whole besides (`parseBody`), and Node ends what takes longer
 * than the longest upload may.
 */
export function endStalledBodies(app: { set(name: string, value: unknown): unknown }, seconds: number): RequestHandler {
  app.set(SETTING, seconds * 1000);
  return (request: Request, response: Response, next: NextFunction) => {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return next();
    // Without a listener Node would close the connection while an answer is being made.
    response.setTimeout(seconds * 1000, () => {});
    request.setTimeout(seconds * 1000, () => {
      if (!request.complete) tellTooSlow(request, response);
    });
    next();
  };
}

function tellTooSlow(request: Request, response: Response): void {
  if (response.headersSent) {
    request.destroy();
    return;
  }
  response.setHeader('Connection', 'close');
  response.once('finish', () => request.destroy());
  response.status(408).json({ detail: 'The request body did not arrive in time.', code: 'request_timeout' });
}

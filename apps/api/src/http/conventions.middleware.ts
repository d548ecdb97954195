import { newId, NotFoundError, runInContext } from '@app/common';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { RouteCatalog } from './route-catalog.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;
/** Swagger UI's own pages and files. */
const REFERENCE = /^\/docs(\/|$)/;

/** Gives every request an id, echoed in `X-Request-Id`, and the context that logs and jobs take it from. */
export function requestContext(logRequests: boolean): RequestHandler {
  const logger = new Logger('Http');
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && VISIBLE_ASCII.test(given) ? given : newId();
    response.setHeader('X-Request-Id', requestId);
    const context = { requestId };
    runInContext(context, () => {
      if (logRequests) logWhenDone(logger, context, request, response);
      next();
    });
  };
}

function logWhenDone(logger: Logger, context: { requestId: string }, request: Request, response: Response): void {
  const started = performance.now();
  const { method, originalUrl } = request;
  response.once('close', () => {
    // Queries may hold tokens and signatures, so only the path is logged.
    const [path] = originalUrl.split('?', 1);
    const line = { method, path, status: response.statusCode, ms: Math.round((performance.now() - started) * 10) / 10 };
    const cut = response.writableFinished ? {} : { aborted: true };
    // 'close' is emitted outside of the request's context.
    runInContext(context, () => logger.log(`${method} ${path} ${line.status}`, { ...line, ...cut }));
  });
}

/**
 * Paths end with a slash, except those that are declared without one. Like Django, a GET without it is led to the
 * right path; any other call is not redirected, since its body would be lost (document 1, section 9).
 */
export function trailingSlash(catalog: RouteCatalog): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const { path, method } = request;
    if (path.endsWith('/') || REFERENCE.test(path)) return next();
    if (catalog.methodsOf(path).length > 0) return next();
    const readable = method === 'GET' || method === 'HEAD';
    if (!readable || !catalog.methodsOf(`${path}/`).includes('GET')) return next(new NotFoundError());
    const query = request.originalUrl.slice(path.length);
    response.redirect(301, `${path}/${query}`);
  };
}

/** What no route can mean: a NUL in the path. */
export const refuseNulInPath: RequestHandler = (request, _response, next) =>
  next(request.url.includes('%00') && /%00/.test(request.path) ? new NotFoundError() : undefined);

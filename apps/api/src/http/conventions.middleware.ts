import type { IncomingHttpHeaders } from 'node:http';
import { newId, NotFoundError, type RequestContext, runInContext, toTraceparent } from '@app/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { OpenAnswers } from './open-answers.js';
import type { RequestLog } from './request-log.js';
import { traceRequest } from './trace-request.js';
import type { RouteCatalog } from './route-catalog.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;
/** Swagger UI's own pages and files. */
const REFERENCE = /^\/docs(\/|$)/;

/** Reading the proxies' headers costs more than most of a light request, and few need the address: so it is asked for. */
class HttpContext implements RequestContext {
  userId?: number;

  constructor(
    readonly requestId: string,
    public trace: string | undefined,
    private readonly request: Request,
  ) {}

  get ip(): string | undefined {
    return this.request.ip;
  }
}

/** The caller's own id, or a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VISIBLE_ASCII.test(given) ? given : newId();
}

/**
 * Gives every request an id, echoed in `X-Request-Id`, and the context that logs and jobs take it from. While the
 * process stops, each answer is the last of its connection.
 */
export function requestContext(log: RequestLog, answers: OpenAnswers): RequestHandler {
  return (request, response, next) => {
    const requestId = requestIdOf(request.headers);
    response.setHeader('X-Request-Id', requestId);
    // Answers are of one person, unless their route says otherwise.
    if (!REFERENCE.test(request.path)) response.setHeader('Cache-Control', 'no-store');
    const context = new HttpContext(requestId, toTraceparent(request.headers.traceparent), request);
    log.follow(context, request, response);
    answers.add(response);
    return runInContext(context, () => {
      traceRequest(context, request, response);
      next();
    });
  };
}

/**
 * Paths end with a slash, except those that are declared without one. Like Django, a GET without it is led to the
 * right path; any other call is not redirected, since its body would be lost (docs/contract/conventions.md#requests).
 * A NUL in the path
 * means nothing.
 */
export function wellFormedPath(catalog: RouteCatalog): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const { path, method } = request;
    if (path.includes('%00')) return next(new NotFoundError());
    if (REFERENCE.test(path)) return next();
    if (path.endsWith('/')) return catalog.lacksParameter(path) ? next(new NotFoundError()) : next();
    if (catalog.methodsOf(path).length > 0) return next();
    const readable = method === 'GET' || method === 'HEAD';
    if (!readable || !catalog.methodsOf(`${path}/`).includes('GET')) return next(new NotFoundError());
    const query = request.originalUrl.slice(path.length);
    response.redirect(301, `${path}/${query}`);
  };
}

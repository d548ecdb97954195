import type { RequestContext } from '@app/common';
import { openSpan } from '@app/observability';
import type { Request, Response } from 'express';

/** A span from the arrival of a request to the end of its answer, named as OpenTelemetry wants it: method and route. */
export function traceRequest(context: RequestContext, request: Request, response: Response): void {
  const { method } = request;
  const span = openSpan(method, { kind: 'server', attributes: { 'http.request.method': method } });
  if (!span) return;
  context.trace = span.traceparent;
  response.once('close', () => {
    const { path } = (request.route ?? {}) as { path?: unknown };
    // The path itself may hold ids, and the query secrets.
    if (typeof path === 'string') {
      span.rename(`${method} ${path}`);
      span.set({ 'http.route': path });
    }
    span.set({ 'http.response.status_code': response.statusCode, 'atrium.request.id': context.requestId });
    span.end(response.statusCode >= 500 ? String(response.statusCode) : undefined);
  });
}

import { createServer, type Server } from 'node:http';
import { listening } from './listening.js';
import type { HealthRegistry } from './health.js';
import { startMetrics } from './instruments.js';

/**
 * What operators ask a process, on a port of its own that clients do not reach: `/healthz/` without I/O, `/readyz/` with
 * it, and `/metrics/` in the text format of Prometheus (docs/contract/administration.md#health).
 * @param app names the process in its series
 * @throws StartupError when the port cannot be listened on
 */
export async function startHealthServer(app: string, port: number, registry: HealthRegistry): Promise<Server> {
  const metrics = startMetrics(app);
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const path = request.url?.replace(/\/?(\?.*)?$/, '/');
    if (path === '/healthz/') answer(200, { status: 'ok' });
    else if (path === '/readyz/')
      void registry.report().then((report) => answer(report.status === 'ok' ? 200 : 503, report));
    else if (path === '/metrics/')
      void metrics.metrics().then((text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text));
    else answer(404, { detail: 'Not found.', code: 'not_found' });
  });
  const attempt = new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  await listening('HEALTH_PORT', port, attempt);
  server.unref();
  return server;
}

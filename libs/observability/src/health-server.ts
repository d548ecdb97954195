import { createServer, type Server } from 'node:http';
import type { HealthRegistry } from './health.js';

/** Probes for processes without an api: `/healthz/` without I/O, `/readyz/` with it. */
export async function startHealthServer(port: number, registry: HealthRegistry): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/healthz/') answer(200, { status: 'ok' });
    else if (request.url === '/readyz/')
      void registry.report().then((report) => answer(report.status === 'ok' ? 200 : 503, report));
    else answer(404, { detail: 'Not found.', code: 'not_found' });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  return server;
}

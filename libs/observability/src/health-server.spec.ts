import type { AddressInfo } from 'node:net';
import { HealthRegistry } from './health.js';
import { startHealthServer } from './health-server.js';
import { registry, requestSeconds } from './instruments.js';
import { measureBacklog, measureNow } from './measured.js';

// Other files of this worker read the same registry.
afterAll(() => registry.removeSingleMetric('atrium_things'));

it('tells Prometheus of the process and of its requests', async () => {
  const labels = { method: 'GET', route: '/users/me/', status: '2xx' };
  requestSeconds.observe(labels, 0.02);
  requestSeconds.observe(labels, 3);
  let readings = 0;
  measureBacklog('test', async () => {
    readings += 1;
    return { runs: { waiting: 3, oldestSeconds: 1.5 } };
  });
  measureBacklog('broken', () => Promise.reject(new Error('the database is away')));
  measureNow('atrium_things', 'Things.', 'state', () => ({ idle: 2 }));
  const server = await startHealthServer('api', 0, new HealthRegistry());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const response = await fetch(`${base}/metrics/`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain');
  const series = 'method="GET",route="/users/me/",status="2xx"';
  expect(text).toContain(`http_request_duration_seconds_bucket{le="0.025",app="api",${series}} 1`);
  expect(text).toContain(`http_request_duration_seconds_count{app="api",${series}} 2`);
  expect(text).toContain('atrium_backlog_waiting{work="runs",app="api"} 3');
  expect(text).toContain('atrium_backlog_oldest_seconds{work="runs",app="api"} 1.5');
  expect(text).toContain('atrium_things{state="idle",app="api"} 2');
  expect(text).toMatch(/process_resident_memory_bytes\{app="api"\} \d+/);
  for (const path of ['/healthz/', '/healthz', '/readyz', '/readyz/?verbose', '/metrics'])
    expect([path, (await fetch(base + path)).status]).toEqual([path, 200]);
  expect(readings).toBe(1);
  expect((await fetch(`${base}/other/`)).status).toBe(404);
  const { port } = server.address() as AddressInfo;
  await expect(startHealthServer('api', port, new HealthRegistry())).rejects.toThrow(
    `Port ${port} (HEALTH_PORT) cannot be listened on: another program has it.`,
  );
  await new Promise((done) => server.close(done));
});

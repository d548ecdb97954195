import type { AddressInfo } from 'node:net';
import { HealthRegistry } from './health.js';
import { startHealthServer } from './health-server.js';
import { Metrics } from './metrics.js';

it('tells Prometheus of the process and of its requests', async () => {
  const metrics = new Metrics('api');
  metrics.observeRequest('GET', 204, 0.02);
  metrics.observeRequest('GET', 200, 3);
  const server = await startHealthServer(0, new HealthRegistry(), metrics);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const response = await fetch(`${base}/metrics/`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(text).toContain('http_request_duration_seconds_bucket{le="0.025",app="api",method="GET",status="2xx"} 1');
  expect(text).toContain('http_request_duration_seconds_count{app="api",method="GET",status="2xx"} 2');
  expect(text).toMatch(/process_resident_memory_bytes\{app="api"\} \d+/);
  for (const path of ['/healthz/', '/healthz', '/readyz', '/readyz/?verbose', '/metrics'])
    expect([path, (await fetch(base + path)).status]).toEqual([path, 200]);
  expect((await fetch(`${base}/other/`)).status).toBe(404);
  const { port } = server.address() as AddressInfo;
  await expect(startHealthServer(port, new HealthRegistry(), metrics)).rejects.toThrow(
    `Port ${port} (HEALTH_PORT) cannot be listened on: another program has it.`,
  );
  await new Promise((done) => server.close(done));
});

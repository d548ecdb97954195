// Rolling updates (docs/operations/upgrade.md): two apis behind a load balancer that asks `/readyz/` each second and repeats
// nothing, restarted in turn under a fixed rate of calls. The bar is not one failed call.
//   npm run bench -- rolling [calls per second=200] [restarts=10] [SHUTDOWN_DELAY_SECONDS=3]
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startRoundRobin } from '../support/round-robin.ts';
import { startDeployment } from './support/deployment.mjs';

const [rate, restarts, delay] = [200, 10, 3].map((standard, at) => Number(process.argv[2 + at] ?? standard));

const definition = {
  name: 'Answered',
  nodes: [
    { id: 'hook', kind: 'webhook_trigger', next: ['say'] },
    { id: 'say', kind: 'respond', params: { body: { n: { $ref: '_webhook_payload.n' } } } },
  ],
};

/** Failures by what was seen, most frequent first. */
function kinds(failures) {
  const counts = new Map();
  for (const { what } of failures) counts.set(what.slice(0, 120), (counts.get(what.slice(0, 120)) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 10);
}

const deployment = await startDeployment({ apps: ['api', 'workflow-runner'] });
let failed = 0;
try {
  const owner = await deployment.signUp('rolling');
  const hooks = [];
  for (let n = 0; n < 20; n += 1) {
    const { workflow_id: id } = await owner.json('POST', '/microservices/workflow/start/', { json: definition });
    const { webhook_url: url } = await owner.json('PUT', `/microservices/workflow/${id}/webhook-url/`, {});
    hooks.push({ id, path: new URL(url).pathname });
  }
  const places = [];
  for (let place = 0; place < 2; place += 1) {
    const settings = { API_PORT: String(await freePort()), ARTIFACT_PORT: '0', SHUTDOWN_DELAY_SECONDS: String(delay) };
    places.push({
      settings,
      base: `http://127.0.0.1:${settings.API_PORT}`,
      api: await deployment.start('api', settings),
    });
  }
  const { headers } = owner;
  const json = { 'content-type': 'application/json' };
  const calls = hooks.flatMap(({ id, path }) => [
    { method: 'GET', path: '/users/me/', headers, status: 200 },
    { method: 'POST', path: `${path}?wait_seconds=0`, headers: json, body: '{"n":1}', status: 202 },
    { method: 'GET', path: `/microservices/workflow/${id}/`, headers, status: 200 },
    {
      method: 'POST',
      path: '/microservices/workflow/validate/',
      headers: { ...headers, ...json },
      body: JSON.stringify({ json: definition }),
      status: 200,
    },
  ]);
  // One of them waits for what its workflow answers.
  calls.push({ method: 'POST', path: hooks[0].path, headers: json, body: '{"n":1}', status: 200 });
  const load = startRoundRobin(
    places.map(({ base }) => base),
    calls,
    rate,
  );
  const ready = async (base) => {
    while (!load.isReady(base)) await sleep(50);
  };
  await Promise.all(places.map(({ base }) => ready(base)));
  const started = performance.now();
  for (let n = 0; n < restarts; n += 1) {
    const place = places[n % places.length];
    const before = load.failures.length;
    const stopping = performance.now();
    await place.api.kill('SIGTERM');
    const stopped = performance.now();
    place.api = await deployment.start('api', place.settings);
    await ready(place.base);
    const seconds = [stopped - stopping, performance.now() - stopped].map((ms) => (ms / 1000).toFixed(1));
    console.log(
      `restart ${n + 1}: stopped in ${seconds[0]} s, back after ${seconds[1]} s, ${load.failures.length - before} failed`,
    );
  }
  const sent = await load.stop();
  failed = load.failures.length;
  const seconds = (performance.now() - started) / 1000;
  console.log(`${sent} calls, about ${Math.round(sent / seconds)} a second, ${restarts} restarts: ${failed} failed`);
  for (const [what, count] of kinds(load.failures)) console.log(`${count} x ${what}`);
} finally {
  await deployment.stop();
}
process.exit(failed === 0 ? 0 : 1);

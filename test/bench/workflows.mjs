// The workflow bars: webhook trigger to 202, completed runs of a 4-node fan-out/join over 20 workflows, and the time
// from trigger to completion at low load. api, runner, Postgres, Redis and this client share the machine.
//   npm run bench -- workflows [rounds=3] [calls=4000] [--against <commit>] [extra node flags for the apps, such as --cpu-prof]
// With `--against`, an earlier commit is built beside this tree, and the two take turns in every round.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { cpuSeconds, postmasterOf } from './support/cpu-seconds.mjs';
import { startDeployment } from './support/deployment.mjs';
import { builtTree, THIS_TREE } from './support/other-tree.mjs';

const WORKFLOWS = 20;
const CONNECTIONS = [10, 50];
/** A process at rest gives back what it needed under load; in turns with another tree it rests anyway. */
const REST_MS = 30_000;
const args = process.argv.slice(2);
const at = args.indexOf('--against');
const against = at === -1 ? null : args.splice(at, 2)[1];
const [rounds, calls] = [Number(args[0] ?? 3), Number(args[1] ?? 4000)];
const nodeFlags = args.slice(2);

const definition = {
  name: 'Fan out and join',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['left', 'right'] },
    { id: 'left', kind: 'template', params: { template: 'left {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'right', kind: 'template', params: { template: 'right {{_webhook_payload.n}}' }, next: ['join'] },
    {
      id: 'join',
      kind: 'merge',
      params: { values: [{ $ref: '_output.left.text' }, { $ref: '_output.right.text' }] },
    },
  ],
};

/** One tree's platform with its workflows, and what it did so far. */
class Side {
  results = Object.fromEntries(CONNECTIONS.map((connections) => [connections, []]));
  latencies = [];

  static async start(label, root) {
    const side = new Side();
    side.label = label;
    side.deployment = await startDeployment({
      apps: ['api', 'workflow-runner'],
      settings: { RATE_LIMITS: 'true', LOG_LEVEL: 'warn' },
      root,
      nodeFlags,
    });
    const owner = await side.deployment.signUp('bench');
    side.bodies = [];
    for (let index = 0; index < WORKFLOWS; index++) {
      const { workflow_id: id } = await owner.json('POST', '/microservices/workflow/start/', { json: definition });
      const { webhook_id, webhook_secret } = await owner.json('GET', `/microservices/workflow/${id}/`);
      side.bodies.push(JSON.stringify({ webhook_id, webhook_secret, payload: { n: 1 } }));
    }
    return side;
  }

  #query(sql, parameters) {
    return this.deployment.dataSource.query(sql, parameters);
  }

  async #allDone() {
    const open = `SELECT count(*) FROM workflow_requests WHERE status IN ('pending', 'running')`;
    while (Number((await this.#query(open))[0].count) > 0) await sleep(25);
  }

  /** Sends `calls` triggers, spread over the workflows, and waits until all runs have ended. */
  async burst(connections) {
    const [{ now }] = await this.#query('SELECT now()');
    const before = await this.#cpu();
    const headers = { 'content-type': 'application/json' };
    const path = '/microservices/workflow/webhook/';
    const requests = this.bodies.map((body) => ({ method: 'POST', path, headers, body }));
    const cannon = autocannon({ url: this.deployment.base, connections, amount: calls, requests });
    const begun = performance.now();
    // Its own clock ticks once a second.
    let lastAnswer = begun;
    cannon.on('response', () => (lastAnswer = performance.now()));
    const result = await cannon;
    if (result['2xx'] !== calls) throw new Error(`only ${result['2xx']} of ${calls} triggers were taken`);
    await this.#allDone();
    const [row] = await this.#query(
      `SELECT count(*) FILTER (WHERE status = 'COMPLETED') AS completed,
         extract(epoch FROM max(finished_at) - min(created_at)) AS seconds FROM workflow_runs WHERE created_at >= $1`,
      [now],
    );
    return {
      acks: calls / ((lastAnswer - begun) / 1000),
      p50: result.latency.p50,
      p99: result.latency.p99,
      runs: Number(row.completed) / Number(row.seconds),
      cpu: Object.fromEntries(
        Object.entries(await this.#cpu()).map(([name, seconds]) => [name, ((seconds - before[name]) * 1000) / calls]),
      ),
    };
  }

  async #cpu() {
    const seconds = { postgres: cpuSeconds(await postmasterOf(this.deployment.dataSource)) };
    for (const { app, pid } of this.deployment.apps) seconds[app] = cpuSeconds(pid);
    return seconds;
  }

  async round(number) {
    for (const connections of CONNECTIONS) {
      const result = await this.burst(connections);
      this.results[connections].push(result);
      const { acks, p50, p99, runs } = result;
      console.log(
        `${this.label}, round ${number}, ${connections} connections: ${acks.toFixed(0)} acks/s (p50 ${p50} ms, p99 ${p99} ms), ${runs.toFixed(0)} completed runs/s`,
      );
    }
    this.latencies.push(...(await this.lowLoad(100)));
  }

  /** One call at a time, with pauses: milliseconds from sending the trigger to the end of its run. */
  async lowLoad(samples) {
    const sentAt = new Map();
    for (let index = 0; index < samples; index++) {
      const sent = Date.now();
      const response = await fetch(`${this.deployment.base}/microservices/workflow/webhook/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: this.bodies[index % WORKFLOWS],
      });
      sentAt.set((await response.json()).request_id, sent);
      await sleep(40);
    }
    await this.#allDone();
    const ids = [...sentAt.keys()];
    const rows = await this.#query('SELECT id, finished_at FROM workflow_requests WHERE id = ANY($1)', [ids]);
    return rows.map((row) => row.finished_at.getTime() - sentAt.get(row.id));
  }

  median(connections, figure) {
    return median(this.results[connections].map((one) => one[figure]));
  }

  #cpuPerRun(connections) {
    const each = this.results[connections].map(({ cpu }) => cpu);
    const names = Object.keys(each[0]);
    const parts = names.map((name) => [name, median(each.map((cpu) => cpu[name]))]);
    const sum = parts.reduce((total, [, ms]) => total + ms, 0);
    return `${sum.toFixed(2)} ms (${parts.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ')})`;
  }

  async print() {
    console.log(`${this.label}, medians of ${rounds}, ${calls} calls over ${WORKFLOWS} workflows:`);
    for (const connections of CONNECTIONS)
      console.log(
        `  ${connections} connections: ${this.median(connections, 'acks').toFixed(0)} acks/s (bar: 500), ${this.median(connections, 'runs').toFixed(0)} completed runs/s (bar: 600); CPU per run: ${this.#cpuPerRun(connections)}`,
      );
    const sorted = this.latencies.toSorted((a, b) => a - b);
    const quantile = (share) => sorted[Math.floor(sorted.length * share)];
    console.log(`  trigger to completion at low load: p50 ${quantile(0.5)} ms (bar: 50), p95 ${quantile(0.95)} ms`);
    console.log(
      `  resident memory: most ${await this.#memory('VmHWM')}, ${REST_MS / 1000} s later ${await this.#memory('VmRSS')}`,
    );
  }

  async #memory(field) {
    const each = await Promise.all(this.deployment.apps.map(({ pid }) => memoryMb(pid, field)));
    const sum = each.reduce((total, mb) => total + mb, 0);
    return `${sum} MB (${this.deployment.apps.map(({ app }, at) => `${app} ${each[at]}`).join(', ')})`;
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** @param field `VmRSS`, what it has now, or `VmHWM`, the most that it had */
async function memoryMb(pid, field) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

const sides = [];
try {
  if (against) sides.push(await Side.start(against, await builtTree(against)));
  sides.push(await Side.start('this tree', THIS_TREE));
  for (const side of sides) await side.burst(10); // Warms up.
  // Who goes first changes with each round: what one leaves behind in the servers burdens the other.
  for (let round = 1; round <= rounds; round++)
    for (const side of round % 2 ? sides : sides.toReversed()) await side.round(round);
  await sleep(REST_MS);
  for (const side of sides) await side.print();
  const [earlier, ours] = sides;
  if (ours)
    for (const connections of CONNECTIONS) {
      const pairs = ours.results[connections].map(({ runs }, n) => runs / earlier.results[connections][n].runs);
      console.log(
        `${connections} connections: ${median(pairs).toFixed(2)} times the completed runs/s of ${against} (${pairs.map((ratio) => ratio.toFixed(2)).join(', ')})`,
      );
    }
} finally {
  for (const { deployment } of sides) await deployment.stop();
}

// The webhook bar (docs/contract/reliability.md#figures (7)): calls arrive at a fixed rate, whether or not earlier
// ones are answered, while the workflow-runner works on what they started. The client is a process of its own on the
// same machine.
//   npm run bench -- webhook-burst [calls per second=1000] [seconds=30] [workflows=100] [rounds=3]
//     [--against <commit>] [--runner-off] [extra node flags for the apps, such as --cpu-prof]
// With `--against`, an earlier commit is built beside this tree, and the two take turns in every round. With
// `--runner-off`, calls are taken in only.
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, postmasterOf } from './support/cpu-seconds.mjs';
import { startDeployment } from './support/deployment.mjs';
import { builtTree, THIS_TREE } from './support/other-tree.mjs';

const args = process.argv.slice(2);
const at = args.indexOf('--against');
const against = at === -1 ? null : args.splice(at, 2)[1];
const off = args.indexOf('--runner-off');
const apps = off === -1 ? ['api', 'workflow-runner'] : ['api'];
if (off !== -1) args.splice(off, 1);
const [rate, seconds, workflows, rounds] = [1000, 30, 100, 3].map((standard, n) => Number(args[n] ?? standard));
const nodeFlags = args.slice(4);
const WARM_UP = { rate: 300, seconds: 5 };

const definition = {
  name: 'Fan out and join',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['left', 'right'] },
    { id: 'left', kind: 'template', params: { template: 'left {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'right', kind: 'template', params: { template: 'right {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'join', kind: 'merge', params: { values: [{ $ref: '_output.left.text' }, { $ref: '_output.right.text' }] } },
  ],
};

/** One tree's platform with its workflows, and what it did so far. */
class Side {
  results = [];
  credentials = [];

  static async start(label, root) {
    const side = new Side();
    side.label = label;
    side.deployment = await startDeployment({ apps, settings: { LOG_LEVEL: 'warn' }, root, nodeFlags });
    const owner = await side.deployment.signUp('bench');
    for (let n = 0; n < workflows; n += 1) {
      const { workflow_id } = await owner.json('POST', '/microservices/workflow/start/', { json: definition });
      const { webhook_id, webhook_secret } = await owner.json('GET', `/microservices/workflow/${workflow_id}/`);
      side.credentials.push({ webhook_id, webhook_secret });
    }
    await side.#send(WARM_UP);
    return side;
  }

  async round(number) {
    await this.#allDone();
    const { dataSource } = this.deployment;
    await dataSource.query('DELETE FROM workflow_requests');
    await dataSource.query('VACUUM (ANALYZE)');
    const before = await this.#cpu();
    const result = await this.#send({ rate, seconds });
    const after = await this.#cpu();
    const done = await this.#count(`status = 'done'`);
    await this.#allDone();
    const failed = apps.length > 1 ? await this.#count(`status <> 'done'`) : 0;
    const { ran, came } = await this.#disorder();
    this.results.push(result);
    const cpu = Object.keys(after).map(
      (name) => `${name} ${(((after[name] - before[name]) / result.sent) * 1e6).toFixed(0)} µs`,
    );
    console.log(
      `${this.label}, round ${number}: ${result.accepted} of ${result.sent} answered 202 (others: ${JSON.stringify(result.others)}), ` +
        `p50 ${result.p50} ms, p95 ${result.p95} ms, p99 ${result.p99} ms, max ${result.max} ms; ` +
        `${done} runs were over with the last answer, ${failed} did not complete; ${ran} ran out of order, ${came} overtook an earlier arrival; ` +
        `CPU a call: ${cpu.join(', ')}`,
    );
  }

  get p99() {
    return this.results.map((one) => one.p99).toSorted((a, b) => a - b)[this.results.length >> 1];
  }

  async #send(load) {
    const client = fork(fileURLToPath(new URL('support/webhook-client.mjs', import.meta.url)));
    const told = new Promise((done, fail) => {
      client.once('message', done);
      client.once('exit', (code) => code && fail(new Error(`The client ended with ${code}.`)));
    });
    client.send({ base: this.deployment.base, credentials: this.credentials, ...load });
    return told;
  }

  async #cpu() {
    const spent = { postgres: cpuSeconds(await postmasterOf(this.deployment.dataSource)) };
    for (const { app, pid } of this.deployment.apps) spent[app] = cpuSeconds(pid);
    return spent;
  }

  async #count(condition) {
    const [row] = await this.deployment.dataSource.query(`SELECT count(*) FROM workflow_requests WHERE ${condition}`);
    return Number(row.count);
  }

  async #allDone() {
    while (apps.length > 1 && (await this.#count(`status IN ('pending', 'running')`)) > 0) await sleep(100);
  }

  /** Requests that ran before one that was accepted earlier, and those that overtook an earlier arrival of their workflow. */
  async #disorder() {
    const [row] = await this.deployment.dataSource.query(
      `SELECT count(*) FILTER (WHERE run_version < earlier_version) AS ran, count(*) FILTER (WHERE n < earlier_n) AS came FROM (
         SELECT run_version, (payload->>'n')::int AS n,
           lag(run_version) OVER (PARTITION BY workflow_id ORDER BY seq) AS earlier_version,
           lag((payload->>'n')::int) OVER (PARTITION BY workflow_id ORDER BY seq) AS earlier_n
         FROM workflow_requests) AS q`,
    );
    return row;
  }
}

const sides = [];
try {
  if (against) sides.push(await Side.start(against, await builtTree(against)));
  sides.push(await Side.start('this tree', THIS_TREE));
  for (let round = 1; round <= rounds; round += 1) for (const side of sides) await side.round(round);
  for (const { label, p99 } of sides) {
    console.log(`${label}: ${rate}/s for ${seconds} s to ${workflows} workflows: median p99 ${p99} ms (bar: 150)`);
  }
} finally {
  for (const { deployment } of sides) await deployment.stop();
}

// The bars of large graphs: a 1,000-node wide workflow and a 500-node chain in less than 5 s each, the cost per node
// flat from 10 to 1,000 nodes, 10,000 items of a batch, and loops. Times are those of the run's own row, from the moment
// it was asked for to its end. api, runner, Postgres and Redis share the machine.
//   npm run bench -- graphs [rounds=5]
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeployment } from './support/deployment.mjs';

const rounds = Number(process.argv[2] ?? 5);
const SIZES = [10, 30, 100, 300, 1000];

const trigger = (next) => ({ id: 'start', kind: 'manual_trigger', next });
const template = (id, next = []) => ({
  id,
  kind: 'template',
  params: { template: `${id} {{_output.start.payload.n}}` },
  next,
});
const ids = (count) => Array.from({ length: count }, (_, index) => `n${index}`);
const join = (from) => ({
  id: 'join',
  kind: 'merge',
  params: { values: from.map((id) => ({ $ref: `_output.${id}.text` })) },
});

/** start -> all the others -> join. */
function wide(size) {
  const middle = ids(size - 2);
  return { nodes: [trigger(middle), ...middle.map((id) => template(id, ['join'])), join(middle)] };
}

/** One after the other. */
function chain(size) {
  const rest = ids(size - 1);
  return {
    nodes: [trigger(rest.slice(0, 1)), ...rest.map((id, index) => template(id, rest.slice(index + 1, index + 2)))],
  };
}

/** The same with nodes that have to be written as begun before they begin. */
function careful(size) {
  const { nodes } = wide(size);
  const empty = { kind: 'batch', params: { items: [], kind: 'no_op' } };
  return { nodes: nodes.map((node) => (node.kind === 'template' ? { ...node, ...empty } : node)) };
}

function batch(count) {
  const items = Array.from({ length: count }, (_, n) => ({ n }));
  return {
    nodes: [
      { id: 'list', kind: 'manual_trigger', params: { inputs: { items } }, next: ['b'] },
      {
        id: 'b',
        kind: 'batch',
        params: { items: { $ref: '_output.list.items' }, kind: 'template', params: { template: '{{_item.n}}' } },
      },
    ],
  };
}

function loop(count, concurrency) {
  const body = { nodes: [{ id: 'say', kind: 'template', params: { template: '{{_item}}' } }] };
  return { nodes: [{ id: 'l', kind: 'loop', params: { items: ids(count), body, concurrency } }] };
}

const deployment = await startDeployment({ apps: ['api', 'workflow-runner'] });
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  const client = await deployment.signUp();

  async function run(id) {
    const { version } = await client.json('POST', '/microservices/workflow/rerun/', { workflow_id: id });
    for (;;) {
      const [row] = await deployment.dataSource.query(
        `SELECT status, extract(epoch FROM finished_at - created_at) * 1000 AS ms,
           (SELECT count(*) FROM workflow_run_nodes n WHERE n.run_id = r.id AND n.status = 'COMPLETED')::int AS nodes
         FROM workflow_runs r WHERE workflow_id = $1 AND version = $2`,
        [id, version],
      );
      if (row.status === 'COMPLETED') return { ms: Number(row.ms), nodes: row.nodes };
      if (row.status !== 'PENDING' && row.status !== 'RUNNING') throw new Error(`The run ended as ${row.status}.`);
      await sleep(20);
    }
  }

  async function measure(name, definition, nodes) {
    const { workflow_id: id } = await client.json('POST', '/microservices/workflow/start/', { json: definition });
    await run(id); // The definition is parsed once.
    const times = [];
    for (let round = 0; round < rounds; round += 1) {
      const result = await run(id);
      if (nodes !== undefined && result.nodes !== nodes)
        throw new Error(`${result.nodes} of ${nodes} nodes completed.`);
      times.push(result.ms);
    }
    return { name, ms: median(times), worst: Math.max(...times) };
  }

  const perNode = {};
  for (const [shape, make] of Object.entries({ wide, chain })) {
    for (const size of SIZES) {
      const { ms, worst } = await measure(`${shape} ${size}`, make(size), size);
      (perNode[shape] ??= []).push({ size, ms });
      console.log(
        `${shape}, ${size} nodes: ${ms.toFixed(0)} ms (worst ${worst.toFixed(0)}), ${((ms * 1000) / size).toFixed(0)} µs per node`,
      );
    }
    // A run costs something whatever its size: what each further node adds is what has to stay flat.
    const slopes = perNode[shape].slice(1).map(({ size, ms }, index) => {
      const before = perNode[shape][index];
      return ((ms - before.ms) * 1000) / (size - before.size);
    });
    console.log(
      `${shape}: each further node costs ${slopes.map((slope) => slope.toFixed(0)).join(', ')} µs between ${SIZES.join(', ')} nodes`,
    );
  }
  for (const [name, definition, nodes] of [
    ['wide, each node written as begun, 100 nodes', careful(100), 100],
    ['wide, each node written as begun, 1,000 nodes', careful(1000), 1000],
    ['batch of 10,000 items', batch(10_000), 2],
    ['loop of 100 items, one at a time', loop(100, 1), 1],
    ['loop of 100 items, 10 at a time', loop(100, 10), 1],
  ]) {
    const { ms, worst } = await measure(name, definition, nodes);
    console.log(`${name}: ${ms.toFixed(0)} ms (worst ${worst.toFixed(0)})`);
  }
  console.log('Bars: 1,000 wide and 500 in a chain in less than 5,000 ms; cost per node within 1.5x from 10 to 1,000.');
} finally {
  await deployment.stop();
}

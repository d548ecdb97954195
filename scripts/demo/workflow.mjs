import { setTimeout as sleep } from 'node:timers/promises';
import { heading, say, shorten } from './print.mjs';

const ended = new Set(['COMPLETED', 'FAILED', 'STOPPED']);

/**
 * start -> (rule | cost | pause) -> together -> check -> approved | ask
 * A fan-out of three, a join of their outputs, and a condition that takes one of two ways.
 */
function definition(handbookUid) {
  return {
    name: 'Trip check',
    nodes: [
      {
        id: 'start',
        kind: 'webhook_trigger',
        name: 'Trip request',
        params: { sample: { city: 'Zurich', nights: 4, price: 165 } },
        next: ['rule', 'cost', 'pause'],
      },
      {
        id: 'rule',
        kind: 'ask_documents',
        name: 'What the handbook says',
        params: {
          question: 'What is the hotel limit in {{_output.start.payload.city}}?',
          document_uids: [handbookUid],
        },
        next: ['together'],
      },
      {
        id: 'cost',
        kind: 'expression',
        name: 'What it costs',
        params: { expression: 'nights * price', input: { $ref: '_output.start.payload' } },
        next: ['together'],
      },
      { id: 'pause', kind: 'delay', name: 'A short pause', params: { seconds: 0.7 }, next: ['together'] },
      {
        id: 'together',
        kind: 'merge',
        name: 'Put together',
        params: { values: [{ $ref: '_output.rule.answer' }, { $ref: '_output.cost.result' }] },
        next: ['check'],
      },
      {
        id: 'check',
        kind: 'condition',
        name: 'Below 500 euros?',
        params: {
          left: { $ref: '_output.cost.result' },
          operator: 'less_than',
          right: 500,
          if_true: ['approved'],
          if_false: ['ask'],
        },
        next: ['approved', 'ask'],
      },
      {
        id: 'approved',
        kind: 'template',
        name: 'Approved',
        params: { template: '{{_output.start.payload.city}} for {{_output.cost.result}} euros: approved.' },
        save_output: true,
      },
      {
        id: 'ask',
        kind: 'template',
        name: 'Ask the team lead',
        params: {
          template:
            '{{_output.start.payload.city}} for {{_output.cost.result}} euros: ask your team lead. The handbook: {{_output.rule.answer}}',
        },
        save_output: true,
      },
    ],
  };
}

/** One line a change of a node, from the frames of the live channel. */
function printer() {
  const seen = new Map();
  return (frame) => {
    if (frame.type !== 'workflow_nodes') return;
    const changed = frame.data.filter((row) => seen.get(row.node_id) !== row.status);
    for (const row of changed) seen.set(row.node_id, row.status);
    if (changed.length > 0) say(`  live: ${changed.map((row) => `${row.node_id} ${row.status}`).join(', ')}`);
  };
}

async function untilEnded(client, id, version) {
  for (;;) {
    const workflow = await client.get(`/microservices/workflow/${id}/`);
    if (ended.has(workflow.status) && (await isCurrent(client, workflow, version))) return workflow;
    await sleep(100);
  }
}

async function isCurrent(client, { webhook_id, webhook_secret }, version) {
  const query = new URLSearchParams({ webhook_id, webhook_secret });
  const status = await client.get(`/microservices/workflow/webhook/status/?${query}`);
  return status.current_run_version >= version;
}

async function printResult(client, id) {
  const rows = await client.get(`/microservices/workflow/${id}/nodes/`);
  for (const row of rows) {
    const result = row.output?.text ?? row.output?.answer ?? row.output?.result ?? '';
    say(`  ${row.node_id.padEnd(9)} ${row.status.padEnd(10)} ${shorten(String(result).replace(/\s+/g, ' '), 110)}`);
  }
}

/** Creates the workflow, runs it by hand while the live channel is open, and triggers it again by webhook. */
export async function runWorkflow(client, documents) {
  const handbook = documents.find(({ file }) => file.endsWith('.pdf'));
  heading('Create a workflow: a fan-out of three, a join, a condition');
  const { workflow_id: id } = await client.post('/microservices/workflow/start/', { json: definition(handbook.uid) });
  say(`Workflow ${id}`);

  heading('Run it by hand and watch the live channel');
  const socket = await client.openSocket(`/ws/workflow/${id}/nodes/`, printer());
  const { version } = await client.post('/microservices/workflow/rerun/', { workflow_id: id });
  const first = await untilEnded(client, id, version);
  await sleep(300);
  say(`Run ${version} is ${first.status}:`);
  await printResult(client, id);

  heading('Trigger it again by webhook, with another trip');
  const accepted = await client.post('/microservices/workflow/webhook/', {
    webhook_id: first.webhook_id,
    webhook_secret: first.webhook_secret,
    payload: { city: 'Oslo', nights: 2, price: 120 },
  });
  say(`Accepted as request ${accepted.request_id} (position ${accepted.queue_position}).`);
  const second = await untilEnded(client, id, version + 1);
  await sleep(300);
  say(`Run ${version + 1} is ${second.status}:`);
  await printResult(client, id);
  socket.close();
}

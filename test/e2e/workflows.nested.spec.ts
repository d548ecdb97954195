import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inAll, rounds } from '../support/long.js';
import type { RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';

interface Row {
  id: string;
  node_id: string;
  status: string;
  attempt_count: number;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
  batch_total: number | null;
  batch_completed: number;
  progress_percentage: number | null;
  is_batch_processor: boolean;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ n: index }));

const calling = (workflowId: string, more: object = {}) => [
  {
    id: 's',
    kind: 'sub_workflow',
    params: { workflow_id: workflowId, inputs: { who: 'Ada' } },
    next: ['z'],
    ...more,
  },
  { id: 'z', kind: 'template', params: { template: '{{_output.s.result.text}}!' } },
];

describe('batches, loops and sub-workflows', () => {
  let platform: HostedPlatform;
  let runner: RunningApp;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    runner = await platform.start('workflow-runner');
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const create = async (nodes: object[], client = owner) =>
    (await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json: { nodes } })).workflow_id;
  const rerun = (id: string) => owner.post('/microservices/workflow/rerun/', { workflow_id: id });
  const start = async (nodes: object[]) => {
    const id = await create(nodes);
    await rerun(id);
    return id;
  };
  const rows = async (id: string) => {
    const list = await owner.get<Row[]>(`/microservices/workflow/${id}/nodes/`);
    return Object.fromEntries(list.map((row) => [row.node_id, row]));
  };
  const statusOf = async (id: string) => (await owner.get<{ status: string }>(`/microservices/workflow/${id}/`)).status;
  const ended = (id: string, timeoutMs = 15_000) =>
    until(async () => ['COMPLETED', 'FAILED', 'STOPPED'].includes(await statusOf(id)), timeoutMs);
  const query = <T>(sql: string, params: unknown[]): Promise<T[]> => platform.database.dataSource.query(sql, params);

  /** As many as a batch may have; in `npm test` fewer, of as much text that their results leave their row for a file, too. */
  const many = rounds(10_000, 1_000);
  const padding = 'x'.repeat(64);

  inAll(`applies a kind to ${many} items, with progress, a row each and a bounded output`, async () => {
    const id = await start([
      { id: 'list', kind: 'manual_trigger', params: { inputs: { items: numbers(many) } }, next: ['b'] },
      {
        id: 'b',
        kind: 'batch',
        params: {
          items: { $ref: '_output.list.items' },
          kind: 'template',
          params: { template: `{{_item.n}}/{{_index}}${padding}` },
        },
        next: ['z'],
      },
      { id: 'z', kind: 'set', params: { fields: { last: { $ref: `_output.b.results.${many - 1}.text` } } } },
    ]);
    await ended(id);
    const { b, z } = await rows(id);
    expect(b).toMatchObject({
      status: 'COMPLETED',
      batch_total: many,
      batch_completed: many,
      progress_percentage: 100,
      is_batch_processor: true,
    });
    expect(z!.output).toEqual({ last: `${many - 1}/${many - 1}${padding}` });
    const [{ count }] = (await query<{ count: string }>(
      `SELECT count(*) FROM workflow_run_items i JOIN workflow_runs r ON r.id = i.run_id WHERE r.workflow_id = $1`,
      [id],
    )) as [{ count: string }];
    expect(Number(count)).toBe(many);
  });

  inAll('resumes a batch at its unfinished items when its worker is killed', async () => {
    const id = await start([
      {
        id: 'b',
        kind: 'batch',
        params: {
          items: numbers(60),
          kind: 'delay',
          params: { seconds: 0.1 },
          concurrency: 2,
          item_failures: 'collect',
        },
      },
    ]);
    await until(async () => (await rows(id)).b!.batch_completed >= 10);
    const written = await query<{ item_index: number }>(
      `SELECT item_index FROM workflow_run_items i JOIN workflow_runs r ON r.id = i.run_id WHERE r.workflow_id = $1`,
      [id],
    );
    await runner.kill('SIGKILL');
    runner = await platform.start('workflow-runner');
    await ended(id, 40_000);
    const { b } = await rows(id);
    expect(b).toMatchObject({ status: 'COMPLETED', batch_total: 60, batch_completed: 60, attempt_count: 2 });
    expect(b!.output).toMatchObject({ count: 60, failed: 0 });
    // What was written before the kill was not written again.
    const [{ count }] = (await query<{ count: string }>(
      `SELECT count(*) FROM workflow_run_items i JOIN workflow_runs r ON r.id = i.run_id
       WHERE r.workflow_id = $1 AND i.item_index = ANY($2) AND i.xmin <> ALL(
         SELECT n.xmin FROM workflow_run_nodes n WHERE n.run_id = r.id)`,
      [id, written.map(({ item_index }) => item_index)],
    )) as [{ count: string }];
    expect(Number(count)).toBe(written.length);
  });

  const body = { nodes: [{ id: 'say', kind: 'template', params: { template: '{{_index}}:{{_item.n}}' } }] };

  it('runs a body for every item, in order, several at once', async () => {
    const id = await start([{ id: 'l', kind: 'loop', params: { items: numbers(40), body, concurrency: 8 } }]);
    await ended(id);
    // The items are parts of the one run.
    expect(await owner.get(`/microservices/workflow/${id}/`)).toMatchObject({ successful_run_count: 1 });
    const { l } = await rows(id);
    expect(l).toMatchObject({ status: 'COMPLETED', batch_total: 40, batch_completed: 40 });
    expect(l!.output!.results).toEqual(numbers(40).map(({ n }) => ({ text: `${n}:${n}` })));
  });

  it('checks a body at save, each problem with its place', async () => {
    const json = {
      nodes: [
        {
          id: 'l',
          kind: 'loop',
          params: {
            items: [],
            body: {
              nodes: [
                { id: 'a', kind: 'no_such_kind', next: ['b'] },
                { id: 'c', kind: 'template', params: { template: '{{_output.x.y}}' } },
              ],
            },
          },
        },
      ],
    };
    const { errors } = await owner.post<{ errors: { code: string; path: string }[] }>(
      '/microservices/workflow/validate/',
      { json },
    );
    expect(errors.map(({ code, path }) => [code, path])).toEqual(
      expect.arrayContaining([
        ['unknown_node', 'nodes[0].params.body.nodes[0].next[0]'],
        ['unknown_kind', 'nodes[0].params.body.nodes[0].kind'],
        ['unknown_reference', 'nodes[0].params.body.nodes[1].params.template'],
      ]),
    );
  });

  it('asks people inside a loop and takes an answer for each', async () => {
    const asking = { nodes: [{ id: 'q', kind: 'ask', params: { question: 'Item {{_item.n}}?' } }] };
    const id = await start([{ id: 'l', kind: 'loop', params: { items: numbers(3), body: asking, concurrency: 3 } }]);
    interface Open {
      node_id: string;
      question_id: string;
      message: string;
    }
    const open = () => owner.get<Open[]>(`/microservices/workflow/${id}/questions/`);
    await until(async () => (await open()).length === 3);
    const questions = await open();
    expect(questions.map(({ message }) => message).sort()).toEqual(['Item 0?', 'Item 1?', 'Item 2?']);
    for (const { node_id, question_id, message } of questions) {
      const sent = { workflow_id: id, node_id, question_id, message: `about ${message}` };
      await owner.post('/microservices/workflow/agent-message/', sent);
    }
    await ended(id);
    const results = (await rows(id)).l!.output!.results as { answer: string }[];
    expect(results.map(({ answer }) => answer)).toEqual(['about Item 0?', 'about Item 1?', 'about Item 2?']);
  });

  it('repeats a body until its result is right', async () => {
    const growing = { nodes: [{ id: 'g', kind: 'template', params: { template: '{{_item.text}}x' } }] };
    const params = { body: growing, initial: { text: '' }, path: 'text', operator: 'equals', value: 'xxxx' };
    const id = await start([{ id: 'r', kind: 'repeat', params }]);
    await ended(id);
    expect((await rows(id)).r!.output).toEqual({ result: { text: 'xxxx' }, rounds: 4, fulfilled: true });
  });

  it('runs another workflow, beside what runs there, and goes on with its result', async () => {
    const child = await create([
      { id: 'hi', kind: 'template', params: { template: 'Hi {{_webhook_payload.who}}' }, next: [] },
    ]);
    const id = await start(calling(child));
    await ended(id);
    const { s, z } = await rows(id);
    expect(z!.output).toMatchObject({ text: 'Hi Ada!' });
    expect(s!.output).toMatchObject({ result: { text: 'Hi Ada' }, run_version: 1 });
    // It stands in its workflow's history, and is not its current run.
    expect(await statusOf(child)).toBe('IDLE');
  });

  it('fails with the reason of the other workflow', async () => {
    const child = await create([{ id: 'bad', kind: 'stop_with_error', params: { message: 'No luck.', code: 'luck' } }]);
    const id = await start(calling(child));
    await ended(id);
    const error = { code: 'child_failed', message: 'Run 1 failed at node bad (luck): No luck.' };
    expect((await rows(id)).s).toMatchObject({ status: 'FAILED', error });
  });

  it('does not run what the owner may not run, and no deeper than ten levels', async () => {
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const foreign = await create([{ id: 'n', kind: 'no_op' }], stranger);
    const id = await start(calling(foreign));
    await ended(id);
    expect((await rows(id)).s).toMatchObject({ status: 'FAILED', error: { code: 'workflow_not_found' } });

    const itself = await create([{ id: 'n', kind: 'no_op' }]);
    const json = { name: 'Itself', json_spec: { nodes: calling(itself) } };
    await owner.send('PUT', `/microservices/workflow/${itself}/`, json);
    await rerun(itself);
    await ended(itself);
    const { s } = await rows(itself);
    expect(s!.error!.message).toContain('too_deep');
    const [{ count }] = (await query<{ count: string }>('SELECT count(*) FROM workflow_runs WHERE workflow_id = $1', [
      itself,
    ])) as [{ count: string }];
    expect(Number(count)).toBe(10);
  });

  const activeRuns = async (id: string) =>
    (
      await query<{ n: string }>(
        `SELECT count(*) AS n FROM workflow_runs WHERE workflow_id = $1 AND status IN ('PENDING', 'RUNNING')`,
        [id],
      )
    ).map(({ n }) => Number(n))[0];

  it('stops the other workflow with this one', async () => {
    const child = await create([{ id: 'w', kind: 'delay', params: { seconds: 3_600 } }]);
    const id = await start(calling(child));
    await until(async () => (await activeRuns(child)) === 1);
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    expect(await activeRuns(child)).toBe(0);
    expect((await rows(id)).s!.status).toBe('STOPPED');
  });

  inAll('starts every child once and loses none, whenever its workers are killed', async () => {
    const child = await create([
      { id: 'w', kind: 'delay', params: { seconds: 0.15 }, next: ['hi'] },
      { id: 'hi', kind: 'template', params: { template: '{{_item.n}}' } },
    ]);
    const id = await start([
      { id: 'l', kind: 'loop', params: { items: numbers(24), workflow_id: child, concurrency: 3 }, next: ['s'] },
      { id: 's', kind: 'sub_workflow', params: { workflow_id: child, inputs: { _item: { n: 99 }, _index: 0 } } },
    ]);
    // At its beginning, in its middle and near its end; `npm test` takes the middle.
    const kills = [12, 4, 20].slice(0, rounds(3, 1)).toSorted((a, b) => a - b);
    for (const [kill, threshold] of kills.entries()) {
      await until(async () => ((await rows(id)).l?.batch_completed ?? 0) >= threshold, 40_000);
      await runner.kill('SIGKILL');
      if (kill < kills.length - 1) runner = await platform.start('workflow-runner');
    }
    await platform.host('workflow-runner');
    await ended(id, 60_000);
    const { l, s } = await rows(id);
    expect(l!.output!.results).toEqual(numbers(24).map(({ n }) => ({ text: String(n) })));
    expect(s).toMatchObject({ status: 'COMPLETED', output: { result: { text: '99' } } });
    const children = await query<{ n: string }>('SELECT count(*) AS n FROM workflow_runs WHERE workflow_id = $1', [
      child,
    ]);
    expect(Number(children[0]!.n)).toBe(25);
    expect(await query('SELECT 1 FROM workflow_signals WHERE NOT consumed', [])).toEqual([]);
  });
});

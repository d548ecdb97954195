import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown>;
  error: { code: string; message: string } | null;
  attempt_count: number;
}

const FOR_EVER = { id: 'spin', kind: 'code', params: { code: 'for (;;);', time_limit_seconds: 30 } };

describe('code in workflows', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function start(json: object, client = owner): Promise<string> {
    const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    await client.post('/microservices/workflow/rerun/', { workflow_id: id });
    return id;
  }
  const statusOf = async (id: string, client = owner) =>
    (await client.get<{ status: string }>(`/microservices/workflow/${id}/`)).status;
  async function rowsOf(id: string): Promise<Record<string, Row>> {
    const rows = await owner.get<Row[]>(`/microservices/workflow/${id}/nodes/`);
    return Object.fromEntries(rows.map((row) => [row.node_id, row]));
  }

  it('computes between other nodes, and keeps what it logs', async () => {
    const id = await start({
      nodes: [
        {
          id: 'read',
          kind: 'parse_xml',
          params: { text: '<o><l p="2"/><l p="3"/></o>', lists: ['l'] },
          next: ['code'],
        },
        {
          id: 'code',
          kind: 'code',
          params: {
            items: { $ref: '_output.read.value.o.l' },
            code: 'console.log(items.length, "lines"); return items.map((line) => Number(line["@p"]));',
          },
          next: ['sum', 'find'],
        },
        { id: 'sum', kind: 'expression', params: { expression: '$sum($)', input: { $ref: '_output.code.result' } } },
        { id: 'find', kind: 'regex', params: { text: '{{_output.code.result}}', pattern: '\\d' } },
      ],
    });
    await until(async () => (await statusOf(id)) === 'COMPLETED');
    expect(await rowsOf(id)).toMatchObject({
      code: { output: { result: [2, 3], logs: ['2 lines'] } },
      sum: { output: { result: 5 } },
      find: { output: { count: 2 } },
    });
  });

  it('fails and is tried again as often as its retry policy says, whatever it fails with', async () => {
    const retry = { max_attempts: 3, backoff_seconds: 0.05, multiplier: 1 };
    const id = await start({
      nodes: [
        { id: 'throw', kind: 'code', params: { code: 'throw new Error("no")' }, retry },
        { id: 'slow', kind: 'code', params: { code: 'for (;;);', time_limit_seconds: 0.1 }, retry },
        {
          id: 'stop',
          kind: 'stop_with_error',
          params: { message: 'no' },
          retry,
          on_error: 'branch',
          error_next: ['end'],
        },
        { id: 'end', kind: 'no_op' },
        { id: 'once', kind: 'parse_json', params: { text: '{' }, retry },
      ],
    });
    await until(async () => (await statusOf(id)) === 'FAILED');
    expect(await rowsOf(id)).toMatchObject({
      throw: { status: 'FAILED', attempt_count: 3, error: { code: 'code_failed' } },
      slow: { status: 'FAILED', attempt_count: 3, error: { code: 'time_limit' } },
      stop: { status: 'FAILED', attempt_count: 3 },
      end: { status: 'COMPLETED' },
      // What cannot be read stays as it is.
      once: { status: 'FAILED', attempt_count: 1 },
    });
  });

  inAll('that never ends holds up nobody, and ends with its run', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => start({ nodes: [FOR_EVER] })));
    const other = await HttpClient.signUp(platform.baseUrl);
    await until(async () => (await rowsOf(ids[0]!)).spin!.status === 'RUNNING');
    const took = stopwatch();
    const quick = await start(fanOutAndJoin, other);
    const script = await start({ nodes: [{ id: 'a', kind: 'code', params: { code: 'return 1' } }] }, other);
    await until(async () => (await statusOf(quick, other)) === 'COMPLETED');
    await until(async () => (await statusOf(script, other)) === 'COMPLETED');
    expect(took()).toBeLessThan(15_000);
    for (const id of ids) {
      const { nodes_stopped: stopped } = await owner.post<{ nodes_stopped: number }>('/microservices/workflow/stop/', {
        workflow_id: id,
      });
      expect(stopped).toBe(1);
    }
    // Their threads are free again.
    const id = await start({ nodes: [{ id: 'a', kind: 'code', params: { code: 'return 1' } }] });
    await until(async () => (await statusOf(id)) === 'COMPLETED');
  });

  inAll('fails with its own words, and is refused with a typing error', async () => {
    const id = await start({
      nodes: [
        { id: 'late', kind: 'code', params: { code: 'for (;;);', time_limit_seconds: 0.2 } },
        { id: 'bad', kind: 'code', params: { code: 'const a = {};\nreturn a.b.c;' } },
        { id: 'regex', kind: 'regex', params: { text: `${'a'.repeat(60)}b`, pattern: '(a+)+$' } },
      ],
    });
    await until(async () => (await statusOf(id)) === 'FAILED');
    expect(await rowsOf(id)).toMatchObject({
      late: { error: { code: 'time_limit', message: 'The code took longer than 0.2 seconds.' } },
      bad: { error: { code: 'code_failed', message: expect.stringMatching(/^TypeError: .*\(line 2\)$/) as string } },
      regex: { error: { code: 'time_limit' } },
    });
    const response = await owner.send('POST', '/microservices/workflow/start/', {
      json: { nodes: [{ id: 'a', kind: 'code', params: { code: 'return (' } }] },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ problems: [{ path: 'nodes[0].params.code' }] });
  });
});

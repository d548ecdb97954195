import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostedAdmin } from '../support/admin.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { until } from '../support/until.js';

interface RunRow {
  id: string;
  workflow: string;
  version: number;
  owner: string;
  status: string;
  node: string | null;
  code: string | null;
  reason: string | null;
}

/** Of text that is not looked for without OCR. */
const PICTURE = join(__dirname, '../fixtures/documents/demo/notice-board.png');

const DEFINITION = (text: string) => ({
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['read'] },
    { id: 'read', kind: 'parse_json', params: { text }, next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds: 60 } },
  ],
});

describe('work, as operators see and steer it', () => {
  let platform: HostedPlatform;
  let admin: HostedAdmin;
  let client: HttpClient;
  const run = (...args: string[]) => admin.run(args);
  const json = async <T>(...args: string[]): Promise<T> => {
    const { stdout, stderr, code } = await run('--json', ...args);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  };
  const start = async (text: string) => {
    const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: DEFINITION(text),
    });
    await client.post('/microservices/workflow/rerun/', { workflow_id: id });
    return id;
  };
  const runsOf = async (workflow: string, ...options: string[]) =>
    (await json<RunRow[]>('runs', 'list', '--owner', client.username, ...options)).filter(
      (row) => row.workflow === workflow,
    );

  beforeAll(async () => {
    platform = await hostPlatform();
    admin = new HostedAdmin(platform.env);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await admin?.stop();
    await platform?.stop();
  });

  it('shows why runs failed, runs them again and stops them', async () => {
    const broken = await start('{');
    await until(async () => (await runsOf(broken, '--status', 'failed')).length === 1);
    const [failed] = await runsOf(broken, '--status', 'failed');
    expect(failed).toMatchObject({ owner: client.username, node: 'read', code: 'invalid_json', version: 1 });
    expect(failed!.reason).not.toBe('');
    expect(await json('runs', 'show', failed!.id)).toContainEqual(
      expect.objectContaining({ node: 'read', status: 'failed', code: 'invalid_json' }),
    );

    expect(await json('runs', 'retry', failed!.id)).toMatchObject({ workflow: broken, version: 2, nodes_reused: 1 });
    await until(async () => (await runsOf(broken, '--status', 'failed')).length === 2);

    const slow = await start('{}');
    const [running] = await runsOf(slow);
    expect(await json('runs', 'cancel', running!.id)).toMatchObject({ workflow: slow });
    expect((await runsOf(slow))[0]).toMatchObject({ status: 'stopped', code: 'stopped' });
    expect(await run('runs', 'cancel', running!.id)).toMatchObject({
      code: 1,
      stderr: 'This run has ended already.\n',
    });
    expect((await json<{ action: string }[]>('audit', 'tail')).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['run.retried', 'run.cancelled']),
    );
  });

  it('tells what waits, and empties the queue of a workflow', async () => {
    const id = await start('{}');
    const credential = await client.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    const { webhook_id, webhook_secret } = credential;
    for (let n = 0; n < 3; n += 1)
      await client.post('/microservices/workflow/webhook/', { webhook_id, webhook_secret, payload: { n } });
    const waiting = async () =>
      (await json<{ work: string; waiting: number }[]>('queues')).find(({ work }) => work === 'webhook requests');
    expect(await waiting()).toMatchObject({ waiting: 3 });
    expect(await json('queues', 'drain', id)).toEqual({ workflow: id, cancelled: 3 });
    expect(await waiting()).toMatchObject({ waiting: 0 });
  });

  it('shows why documents failed, and indexes them again', async () => {
    const { uid } = await client.upload<{ uid: string }>(
      '/semantic-search/upload/',
      'path',
      new File([readFileSync(PICTURE)], 'picture.png'),
      { ocr: 'false' },
    );
    const failed = () => json<{ uid: string }[]>('documents', 'list');
    await until(async () => (await failed()).length === 1);
    expect(await failed()).toEqual([
      expect.objectContaining({ uid, state: 'failed', reason: expect.stringContaining('OCR') }),
    ]);
    expect(await json('documents', 'retry', '--failed')).toEqual({ retried: 1 });
    await until(async () => (await failed()).length === 1);
    expect(await json('documents', 'retry', uid)).toMatchObject({ uid });
  });

  it.each([
    [['runs', 'list', '--status', 'broken'], '--status must be one of: pending, running, completed, failed, stopped.'],
    [['runs', 'show', 'nothing'], 'There is no such run.'],
    [['runs', 'retry', randomUUID()], 'There is no such run.'],
    [['documents', 'retry'], 'Give a uid, or --failed.'],
    [['documents', 'cancel', randomUUID()], 'There is no such document.'],
    [['queues', 'drain', randomUUID()], 'There is no such workflow.'],
  ])('says what is wrong with %j', async (args, message) => {
    expect(await run(...args)).toMatchObject({ code: 1, stderr: `${message}\n` });
  });
});

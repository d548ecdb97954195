import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { ask } from '../support/workflow-api.js';
import { inAll } from '../support/long.js';

const IMPORT = '/microservices/workflow/import/';
const read = (name: string): object =>
  JSON.parse(readFileSync(resolve(__dirname, `../fixtures/n8n/${name}.json`), 'utf8')) as object;

interface Imported {
  json_spec: { nodes: object[] };
  report: Record<'mapped' | 'approximated' | 'unmapped', { name: string; node_ids: string[]; notes: string[] }[]>;
  warnings: { code: string }[];
  workflow_id: string;
}
interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string } | null;
}

describe('workflows that come from n8n', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function run(name: string): Promise<{ rows: Record<string, Row>; status: string; imported: Imported }> {
    const imported = await owner.post<Imported>(IMPORT, { format: 'n8n', json: read(name), save: true });
    const id = imported.workflow_id;
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    const path = `/microservices/workflow/${id}/`;
    let status = '';
    await until(async () => {
      ({ status } = await owner.get<{ status: string }>(path));
      return status === 'COMPLETED' || status === 'FAILED';
    });
    const rows = await owner.get<Row[]>(`${path}nodes/`);
    return { rows: Object.fromEntries(rows.map((row) => [row.node_id, row])), status, imported };
  }

  it('shows what it would make, and makes nothing unless it is asked to', async () => {
    const before = (await owner.get<{ count: number }>('/microservices/workflow/')).count;
    const answer = await ask(owner, 'POST', IMPORT, { format: 'n8n', json: read('orders') });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        workflow_id: null,
        json_spec: { name: 'Order intake', entry: ['order_webhook'] },
        vueflow_json: { nodes: expect.any(Array) },
        report: {
          mapped: expect.arrayContaining([
            { name: 'Edit Fields', type: 'n8n-nodes-base.set', node_ids: expect.any(Array), kind: 'set', notes: [] },
          ]),
          approximated: expect.arrayContaining([
            expect.objectContaining({ name: 'Tell the team', kind: 'http_request' }),
          ]),
          unmapped: [],
        },
      },
    });
    expect((await owner.get<{ count: number }>('/microservices/workflow/')).count).toBe(before);
    const valid = await ask(owner, 'POST', '/microservices/workflow/validate/', { json: answer.body.json_spec });
    expect(valid.body).toMatchObject({ valid: true, errors: [] });
  });

  it.each([
    [{ json: {} }, 'format'],
    [{ format: 'zapier', json: {} }, 'format'],
    [{ format: 'n8n' }, 'json'],
    [{ format: 'n8n', json: 'x' }, 'json'],
    [{ format: 'n8n', json: {} }, 'json'],
    [{ format: 'n8n', json: { nodes: [{}] } }, 'json'],
    [{ format: 'n8n', json: { nodes: [] }, save: 'perhaps' }, 'save'],
  ])('refuses %j', async (body, field) => {
    expect(await ask(owner, 'POST', IMPORT, body)).toMatchObject({
      status: 400,
      body: { [field]: [expect.any(String)] },
    });
  });

  inAll('runs what worked on lists of items with the same results', async () => {
    const { rows, status } = await run('lists');
    expect(status).toBe('COMPLETED');
    expect(rows.remove_duplicates!.output).toMatchObject({ count: 4 });
    expect(rows.filter!.output!.result).toEqual([
      [
        expect.objectContaining({ rep: 'Ann' }),
        expect.objectContaining({ rep: 'Cy' }),
        expect.objectContaining({ rep: 'Di' }),
      ],
    ]);
    expect(rows.sort!.output!.items).toMatchObject([{ rep: 'Di' }, { rep: 'Cy' }, { rep: 'Ann' }]);
    expect(rows.aggregate!.output!.result).toEqual({
      winners: ['Di (SOUTH)', 'Cy (NORTH)'],
      amount: [300, 300],
    });
    expect(rows.write_text!.output!.result).toEqual([{ text: 'Di (SOUTH), Cy (NORTH) of 5', best: 300 }]);
    expect(rows.summarize!.output!.items).toEqual([
      { region: 'North', sum_amount: 420, count_rep: 2 },
      { region: 'South', sum_amount: 380, count_rep: 2 },
    ]);
    expect(rows.split_out!.output!.result).toHaveLength(4);
  });

  it('runs what was made with the first versions of its nodes', async () => {
    const { rows, status } = await run('legacy');
    expect(status).toBe('COMPLETED');
    expect(rows.mark_old!.output!.result).toMatchObject([
      { isOld: false },
      { isOld: true },
      { isOld: true },
      { isOld: false },
    ]);
    expect(rows.by_kind!.output!.result).toMatchObject([[{ id: 1 }, { id: 3 }], [{ id: 2 }], [{ id: 4 }]]);
    expect(rows.merge!.output!.value).toEqual([
      { id: 3, kind: 'bug', age: 31, isOld: true, queue: 'urgent', points: 62 },
      { queue: 'later 1' },
    ]);
    expect(rows.rest!.output).toMatchObject({ items: [{ id: 4 }] });
  });

  inAll('reads the file that comes with a form, and the one whose path comes with a run', async () => {
    const { workflow_id: id } = await owner.post<Imported>(IMPORT, { format: 'n8n', json: read('form'), save: true });
    const path = `/microservices/workflow/${id}/`;
    const { webhook_url: address } = (await ask(owner, 'PUT', `${path}webhook-url/`, { scheme: 'none' })).body as {
      webhook_url: string;
    };
    const form = new FormData();
    form.set('Your name', 'Zoë');
    const sheet = 'name,price\npen,8\nbook,12.5\n"lamp, big",40\n';
    form.set('Price list', new Blob([sheet], { type: 'text/csv' }), 'Preise März.csv');
    const hook = `${platform.baseUrl}${new URL(address).pathname}?wait_seconds=20`;
    expect(await (await fetch(hook, { method: 'POST', body: form })).json()).toMatchObject({ status: 'done' });
    const rowsNow = async () => {
      const rows = await owner.get<Row[]>(`${path}nodes/`);
      return Object.fromEntries(rows.map((row) => [row.node_id, row]));
    };
    const rows = await rowsNow();
    expect(rows.set!.output!.result).toEqual([
      { label: 'book (Zoë)', price: 25 },
      { label: 'lamp, big (Zoë)', price: 80 },
    ]);

    // By hand there is no form: the payload names a file of the storage.
    const { media_path } = rows.extract_from_file__written!.output!;
    const payload = { 'Your name': 'Ada', media_path };
    const run = { workflow_id: id, webhook_payload: payload };
    const { version } = await owner.post<{ version: number }>('/microservices/workflow/rerun/', run);
    const history = `${path}history/${version}/`;
    await until(async () => (await owner.get<{ status: string }>(history)).status === 'COMPLETED');
    const again = await rowsNow();
    expect(again.extract_from_file__written!.status).toBe('SKIPPED');
    expect(again.set!.output!.result).toMatchObject([{ label: 'book (Ada)' }, { label: 'lamp, big (Ada)' }]);
  });

  it('runs the body of a loop over the whole list', async () => {
    const { rows, status } = await run('batches');
    expect(status).toBe('COMPLETED');
    expect(rows.total!.output!.result).toEqual([{ total: 30 }]);
  });

  inAll('takes the branch that the payload asks for, and fails where something is missing', async () => {
    const { rows, status } = await run('orders');
    // By hand the pinned sample stands in for the payload: 2 × 40.5 + 4 × 5.
    expect(rows.edit_fields!.output).toEqual({
      orderId: 'A-7',
      customer: { name: 'Ada Byron', greeting: 'Dear Ada Byron,' },
      total: 101,
      currency: 'EUR',
      items: 2,
    });
    expect(rows.big_order!.output).toEqual({ result: true });
    expect(rows.small_order!.status).toBe('SKIPPED');
    expect(rows.book_in_erp!.status).toBe('FAILED');
    expect(rows.tell_the_team).toMatchObject({ status: 'FAILED', error: { code: 'unknown_secret' } });
    expect(status).toBe('FAILED');
  });
});

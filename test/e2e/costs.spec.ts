import { UsageLedger } from '@app/models';
import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import * as hostile from '../support/hostile-model.js';
import type { HttpClient } from '../support/http-client.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

interface Costs {
  totals: { spend: number; prompt_tokens: number; completion_tokens: number; total_tokens: number; requests: number };
  daily: { date: string; spend: number; requests: number }[];
  by_model: Record<string, unknown>[];
  by_workflow: Record<string, unknown>[];
  unpriced_requests: number;
  start_date: string;
  end_date: string;
}

const author = (client: HttpClient, more: Record<string, unknown> = {}) =>
  client.send('POST', '/microservices/prompt-2-workflow/agent/', {
    prompt: 'What does it do?',
    mode: 'explain',
    json_spec: fanOutAndJoin,
    ...more,
  });
const costs = (client: HttpClient, name = client.username, query = '') =>
  client.send('GET', `/microservices/cost-tracker/users/${encodeURIComponent(name)}/costs${query}`);
const costsOf = async (client: HttpClient, query = '') =>
  (await (await costs(client, client.username, query)).json()) as Costs;

describe('what language models are used for', () => {
  const server = new hostile.HostileModel();
  let api: TestApi;
  let ada: HttpClient;
  const models = () => [
    {
      id: 3,
      name: 'Priced',
      value: 'priced',
      base_url: server.baseUrl,
      api_key: 'sk-secret',
      price: { input: 2, output: 10, cached_input: 1, currency: 'EUR' },
      max_retries: 1,
    },
    { id: 8, name: 'Unpriced', value: 'unpriced', base_url: server.baseUrl },
    { id: 9, name: 'Impatient', value: 'impatient', base_url: server.baseUrl, timeout: { total_seconds: 2 } },
  ];
  const rows = (client: HttpClient) =>
    api.database.dataSource.query<Record<string, unknown>[]>(
      `SELECT purpose, model, prompt_tokens::int AS prompt, completion_tokens::int AS completion, cached_tokens::int AS cached,
         cost::float8, outcome, error_code AS error, is_estimate AS estimate, turn_id AS turn
       FROM model_usage m JOIN users u ON u.id = m.user_id WHERE u.username = $1 ORDER BY m.created_at, m.duration_ms`,
      [client.username],
    );
  const idOf = async ({ username }: HttpClient) => {
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      username,
    ]);
    return row.id;
  };

  beforeAll(async () => {
    await server.start();
    api = await startApi({ LLM_MODELS: JSON.stringify(models()) });
    ada = await api.signUp();
  });
  afterAll(async () => {
    await api.stop();
    await server.stop();
  });
  beforeEach(() => server.next());
  const settled = () => api.app.get(UsageLedger).flush();

  it('lists the models, and gives new accounts the default one', async () => {
    expect(await ada.get('/users/models/')).toMatchObject([
      { id: 3, value: 'priced', provider: '127.0.0.1', on_premises: true, is_default: true },
      { id: 8, value: 'unpriced', capability: 'chat', is_default: false },
      { id: 9, value: 'impatient' },
    ]);
    expect(await ada.get('/users/me/')).toMatchObject({ info: { llm_model: 'Priced' } });
  });

  it('is written down with the price of the time, for the model that was named or chosen', async () => {
    server.always(
      hostile.answers('It joins.', {
        usage: { prompt_tokens: 1000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } },
      }),
    );
    const [byDefault, named] = [await author(ada), await author(ada, { llm_model_id: 8 })];
    expect([byDefault.status, named.status]).toEqual([200, 200]);
    const { turn_id } = (await byDefault.json()) as { turn_id: string };
    await ada.send('POST', '/users/profile/', { llm_model_id: 8 });
    expect((await author(ada)).status).toBe(200);
    await ada.send('POST', '/users/profile/', { llm_model_id: 3 });
    expect(server.calls.map(({ body }) => body.model)).toEqual(['priced', 'unpriced', 'unpriced']);
    await settled();
    const [first, second, third] = await rows(ada);
    const known = { purpose: 'authoring', prompt: 1000, completion: 100, cached: 400, outcome: 'completed' };
    // 600 at 2, 400 at 1 and 100 at 10 per million.
    expect(first).toMatchObject({ ...known, model: 'priced', cost: 0.0026, turn: turn_id, estimate: false });
    expect(second).toMatchObject({ ...known, model: 'unpriced', cost: null });
    expect(third).toMatchObject({ model: 'unpriced' });

    const today = await costsOf(ada, '?days=1');
    expect(today).toEqual({
      username: ada.username,
      currency: 'EUR',
      start_date: today.end_date,
      end_date: new Date().toISOString().slice(0, 10),
      totals: { spend: 0.0026, prompt_tokens: 3000, completion_tokens: 300, total_tokens: 3300, requests: 3 },
      daily: [{ date: today.end_date, ...today.totals }],
      by_model: [
        { model: 'priced', spend: 0.0026, total_tokens: 1100, requests: 1 },
        { model: 'unpriced', spend: 0, total_tokens: 2200, requests: 2 },
      ],
      by_workflow: [],
      unpriced_requests: 2,
    });
  });

  it('is written down for what fails, is tried again, is cut off or is not counted', async () => {
    const bob = await api.signUp();
    const pages = ['The meeting is on Tuesday.'];
    const { dataSource } = api.database;
    const uid = await addIndexedDocument(dataSource, { ownerId: await idOf(bob), pages, generation: 1 });
    const use = async (...behaviours: hostile.Behaviour[]) => {
      server.next(...behaviours);
      const before = (await rows(bob)).length;
      await bob.send('POST', '/semantic-search/questions/', { uids: [uid], count: 1 });
      await settled();
      return (await rows(bob)).slice(before);
    };
    const questions = JSON.stringify({ questions: [{ question: 'When?', documents: [1] }] });
    const known = { purpose: 'questions', model: 'priced' };
    expect(await use(hostile.refuses(503), hostile.answers(questions, { usage: null }))).toMatchObject([
      { ...known, outcome: 'failed', error: 'model_error', prompt: 0, completion: 0, cost: 0, estimate: false },
      { ...known, outcome: 'completed', completion: Math.ceil(questions.length / 4), estimate: true },
    ]);
    // Words in place of JSON have been paid for all the same, twice: the model is told once what was wrong with them.
    expect(await use(hostile.answers('No JSON.'))).toMatchObject([
      { outcome: 'failed', prompt: 2000, completion: 1000, cost: 0.014, estimate: false },
    ]);
    await bob.send('POST', '/users/profile/', { llm_model_id: 9 });
    expect(await use(hostile.stallsBeforeFirstByte)).toMatchObject([
      { ...known, model: 'impatient', outcome: 'timeout', error: 'model_timeout', completion: 0, estimate: true },
    ]);
  });

  it('is shown per day and per workflow, and forgotten with the account', async () => {
    const eve = await api.signUp();
    const started = await eve.send('POST', '/microservices/workflow/start/', {
      json: { ...fanOutAndJoin, name: 'Mine' },
    });
    const { workflow_id } = (await started.json()) as { workflow_id: string };
    const run = async (status: string, of = workflow_id, daysAgo = 0) => {
      const id = newId();
      await api.database.dataSource.query(
        `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, is_concurrent, finished_at)
         SELECT $1, $2, 1 + coalesce(max(version), 0), 1, $3, 'manual', true, now() - $4 * interval '1 day'
         FROM workflow_runs WHERE workflow_id = $2`,
        [id, of, status, daysAgo],
      );
      return id;
    };
    const eveId = await idOf(eve);
    const ledger = api.app.get(UsageLedger);
    const record = (runId: string, userId = eveId) =>
      ledger.record({
        context: { userId, purpose: 'workflow', workflowId: workflow_id, runId },
        modelId: 3,
        model: 'priced',
        usage: { promptTokens: 10, completionTokens: 1, cost: 0.5 },
        durationMs: 5,
        outcome: 'completed',
        errorCode: null,
      });
    const [completed, failed] = [await run('COMPLETED'), await run('FAILED')];
    record(completed);
    record(completed);
    record(failed);
    record(failed, 2_000_000_000);
    await settled();
    await api.database.dataSource.query(
      `UPDATE model_usage SET created_at = now() - interval '40 days' WHERE id = (SELECT id FROM model_usage WHERE user_id = $1 LIMIT 1)`,
      [eveId],
    );
    const report = await costsOf(eve);
    expect(report.daily).toHaveLength(30);
    expect(report.daily.map(({ date }) => date)).toEqual(report.daily.map(({ date }) => date).toSorted());
    expect(report.start_date).toBe(report.daily[0]!.date);
    expect(report.totals).toMatchObject({ spend: 1, requests: 2 });
    expect((await costsOf(eve, '?days=90')).totals).toMatchObject({ spend: 1.5, requests: 3 });
    expect(report.by_workflow).toMatchObject([{ workflow_id, name: 'Mine', spend: 1 }]);
    expect((await costsOf(eve, '?days=90')).by_workflow).toEqual([
      { workflow_id, name: 'Mine', spend: 1.5, successful_runs: 1 },
    ]);
    const plain = (await (
      await eve.send('POST', '/microservices/workflow/start/', { json: { ...fanOutAndJoin, name: 'Without models' } })
    ).json()) as { workflow_id: string };
    await run('COMPLETED', plain.workflow_id);
    await run('COMPLETED', plain.workflow_id, 40);
    await run('STOPPED', plain.workflow_id);
    await run('COMPLETED');
    expect((await costsOf(eve)).by_workflow).toEqual([
      { workflow_id, name: 'Mine', spend: 1, successful_runs: 2 },
      { workflow_id: plain.workflow_id, name: 'Without models', spend: 0, successful_runs: 1 },
    ]);
    const nobodys = await api.database.dataSource.query<unknown[]>(
      'SELECT FROM model_usage WHERE user_id IS NULL AND run_id = $1 AND workflow_id = $2',
      [failed, workflow_id],
    );
    expect(nobodys).toHaveLength(1);
  });

  it('is one’s own to read, and staff’s', async () => {
    const [other, staff] = await Promise.all([api.signUp(), api.signUp()]);
    await api.database.dataSource.query('UPDATE users SET is_staff = true WHERE username = $1', [staff.username]);
    expect((await costs(other, ada.username)).status).toBe(403);
    expect((await costs(other, 'nobody at all')).status).toBe(403);
    expect((await costs(staff, ada.username)).status).toBe(200);
    expect((await costs(staff, 'nobody at all')).status).toBe(404);
    for (const days of ['0', '91', 'x']) expect((await costs(ada, ada.username, `?days=${days}`)).status).toBe(400);
  });

  it('is written down within a second or so without anybody asking', async () => {
    const zoe = await api.signUp();
    await author(zoe);
    await until(async () => (await rows(zoe)).length > 0);
  });

  it('is not written down where that is switched off', async () => {
    const env = { LLM_MODELS: JSON.stringify(models()), COST_TRACKING: 'false' };
    const other = await startApi(env);
    try {
      const client = await other.signUp();
      await author(client);
      await other.app.get(UsageLedger).flush();
      expect(await other.database.dataSource.query('SELECT FROM model_usage')).toHaveLength(0);
      const answer = await costs(client);
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'cost_tracking_disabled' }),
      ]);
    } finally {
      await other.stop();
    }
  });
});

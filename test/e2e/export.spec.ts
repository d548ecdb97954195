import { Exports } from '@app/auth';
import { OwnedLinks } from '@app/documents';
import { type ExportedFile, ErasureRegistry } from '@app/erasure';
import { WorkRunner } from '@app/work';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { type FullAccount, makeFullAccount } from '../support/full-account.js';
import { contentOf } from '../support/exported.js';
import { mailsTo } from '../support/outbox.js';
import { until } from '../support/until.js';
import { filesIn } from '../support/unzip.js';

interface ExportBody {
  id: string;
  status: string;
  size_bytes: number | null;
  download_url: string | null;
}

describe('the export of an account', () => {
  let api: TestApi;
  let account: FullAccount;
  const start = (token: string) => postJson(`${api.baseUrl}/users/export/`, {}, { authorization: `Token ${token}` });
  const get = (token: string, path: string) =>
    call(`${api.baseUrl}/users/export/${path}`, { headers: { authorization: `Token ${token}` } });
  const sql = (text: string, values: unknown[] = []) => api.database.dataSource.query(text, values);

  beforeAll(async () => {
    api = await startApi();
    const friend = await api.signUp();
    const [{ id }] = (await sql('SELECT id FROM users WHERE username = $1', [friend.username])) as [{ id: number }];
    account = await makeFullAccount(api, { id });
    await sql('DELETE FROM exports');
  });
  afterAll(() => api.stop());

  it('has all of what there is much of', async () => {
    const COUNT = 1001;
    const made = await sql(
      `INSERT INTO permanent_links (uid, owner_id, media_path, name, token_hash, token_sealed)
       SELECT gen_random_uuid(), $1, '/many/' || n, 'N', decode(md5(n::text), 'hex'), '' FROM generate_series(1, $2::int) n RETURNING uid`,
      [account.id, COUNT],
    );
    const files = api.jobs.get(OwnedLinks, { strict: false }).exportFor(account.id);
    for await (const file of files) {
      const many = (JSON.parse(await contentOf(file)) as { mediaPath: string }[]).filter(({ mediaPath }) =>
        mediaPath.startsWith('/many/'),
      );
      expect(new Set(many.map(({ mediaPath }) => mediaPath)).size).toBe(COUNT);
    }
    await sql(
      `INSERT INTO dedicated_agent_spending (agent_id, key, scope)
       SELECT a.id, 'run:' || n, 'run' FROM dedicated_agents a, generate_series(1, $2::int) n WHERE a.user_id = $1`,
      [account.id, COUNT],
    );
    const owned = api.jobs.get(ErasureRegistry, { strict: false }).list();
    const budgets = owned.find(({ name }) => name === 'dedicated_agent_budgets')!;
    const spending: ExportedFile[] = [];
    for await (const file of budgets.exportFor!(account.id)) spending.push(file);
    expect(spending.map(({ path }) => path)).toEqual(['dedicated-agent/spending.json']);
    const counted = JSON.parse(await contentOf(spending[0]!)) as { key: string }[];
    expect(new Set(counted.map(({ key }) => key)).size).toBe(COUNT + 1);
    // More runs, turns and outputs than are read at once.
    const [, , , workflowId] = account.words as [string, string, string, string];
    await sql(
      `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, payload, finished_at)
       SELECT gen_random_uuid(), r.workflow_id, r.version + n, r.content_revision, 'COMPLETED', r.trigger, '{"b":1,"a":2}', now()
       FROM workflow_runs r, generate_series(1, 50) n WHERE r.workflow_id = $1`,
      [workflowId],
    );
    const workflows: ExportedFile[] = [];
    for await (const file of owned.find(({ name }) => name === 'workflows')!.exportFor!(account.id))
      workflows.push(file);
    const workflow = await contentOf(workflows.find(({ path }) => path === `workflows/${workflowId}.json`)!);
    const { runs } = JSON.parse(workflow) as { runs: { version: number }[] };
    expect(runs.map(({ version }) => version)).toEqual(Array.from({ length: 51 }, (_, n) => n + 1));
    expect(workflow).toMatch(/"payload": \{\s*"b": 1,\s*"a": 2/);
    await sql('DELETE FROM workflow_runs WHERE workflow_id = $1 AND version > 1', [workflowId]);
    await sql(`DELETE FROM dedicated_agent_spending WHERE key ~ '^run:[0-9]+$'`);
    await sql('DELETE FROM permanent_links WHERE uid = ANY($1::uuid[])', [made.map(({ uid }: { uid: string }) => uid)]);
  });

  it('is one zip with everything, and a mail says when it is ready', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => start(account.token)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => (body as ExportBody).id)).size).toBe(1);
    const { id, status } = answers[0]!.body as ExportBody;
    expect(['running', 'ready']).toContain(status);
    await until(async () => ((await get(account.token, `${id}/`)).body as ExportBody).status === 'ready');
    const ready = (await get(account.token, `${id}/`)).body as ExportBody;
    const response = await fetch(ready.download_url!);
    expect(response.headers.get('content-disposition')).toContain('attachment; filename="atrium-export.zip"');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.length).toBe(ready.size_bytes);
    const files = await filesIn(bytes);
    const [canary, , uid, workflowId] = account.words as [string, string, string, string];
    expect(files.get(`documents/${uid}/${canary}.txt`)).toBe(`The contents are ${canary}.`);
    expect(JSON.parse(files.get('account.json')!)).toMatchObject({ username: account.username, roles: ['General'] });
    expect(JSON.parse(files.get('metadata.json')!)).toEqual([{ filter: canary }]);
    expect(JSON.parse(files.get(`workflows/${workflowId}.json`)!)).toMatchObject({
      name: canary,
      runs: [{ version: 1 }],
    });
    expect([...files.keys()].some((name) => name.startsWith('chats/'))).toBe(true);
    expect(JSON.parse(files.get('audit.json')!)).toContainEqual(
      expect.objectContaining({ action: 'account.registered' }),
    );
    expect([...files.values()].join()).not.toMatch(/password_hash|\$2b\$|token_hash/);
    await until(async () =>
      (await mailsTo(api, `${canary}@mail.example`, 3)).some(
        ({ subject }) => subject === 'Your Atrium export is ready',
      ),
    );
  });

  it('belongs to its owner', async () => {
    const stranger = await api.signUp();
    const [{ id }] = (await get(account.token, '')).body as [ExportBody];
    expect((await get(stranger.token, `${id}/`)).status).toBe(404);
    expect((await get(stranger.token, '')).body).toEqual([]);
    expect((await call(`${api.baseUrl}/users/export/`)).status).toBe(401);
    expect((await call(`${api.baseUrl}/media/exports/${id}/atrium-export.zip`)).status).toBe(403);
  });

  it('cannot be fetched while the account is closed, also by an address that was given before', async () => {
    const [{ download_url }] = (await get(account.token, '')).body as [ExportBody];
    expect((await fetch(download_url!)).status).toBe(200);
    await sql('UPDATE users SET is_active = false WHERE id = $1', [account.id]);
    expect((await fetch(download_url!)).status).toBe(404);
    await sql('UPDATE users SET is_active = true WHERE id = $1', [account.id]);
    expect((await fetch(download_url!)).status).toBe(200);
  });

  it('goes when its time is over', async () => {
    const [{ id, download_url }] = (await get(account.token, '')).body as [ExportBody];
    await sql(`UPDATE exports SET expires_at = now() WHERE id = $1`, [id]);
    expect((await fetch(download_url!)).status).toBe(404);
    await api.app.get(Exports).removeExpired();
    expect((await get(account.token, `${id}/`)).status).toBe(404);
  });

  it('fails with its reason kept when a part cannot be read, and another one can be made', async () => {
    const broken = { name: 'broken', tables: [], countFor: async () => 0, deleteSome: async () => 0 };
    let fails = true;
    api.jobs.get(ErasureRegistry, { strict: false }).register({
      ...broken,
      async *exportFor() {
        if (fails) throw new Error('unreadable');
        yield { path: 'whole.txt', content: 'x' };
      },
    });
    const { id } = (await start(account.token)).body as ExportBody;
    await until(async () => {
      await sql(
        `UPDATE exports SET next_attempt_at = now() - interval '1 minute' WHERE id = $1 AND next_attempt_at IS NOT NULL`,
        [id],
      );
      await api.jobs.get(WorkRunner).sweep();
      return ((await get(account.token, `${id}/`)).body as ExportBody).status === 'failed';
    });
    fails = false;
    const next = (await start(account.token)).body as ExportBody;
    await until(async () => ((await get(account.token, `${next.id}/`)).body as ExportBody).status === 'ready');
  });
});

import { RevisionRetention } from '@app/workflows';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { until } from '../support/until.js';
import { ask, auditOf, makeCast, startWorkflow } from '../support/workflow-api.js';

type Version = Record<string, unknown> & { content_revision: number; change_summary: string };

const text = (id: string, template: string, next: string[] = [], name?: string) => ({
  id,
  kind: 'template',
  params: { template },
  next,
  ...(name && { name }),
});
const first = { name: 'Letters', nodes: [text('a', 'one', ['b'], 'Greeting'), text('b', 'two')] };
const second = { name: 'Letters', nodes: [text('a', 'uno', ['c'], 'Greeting'), text('c', 'three')] };

const at = (id: string, path = '') => `/microservices/workflow/${id}/${path}`;

const save = (client: HttpClient, id: string, json_spec: object, extra: object = {}) =>
  ask(client, 'PUT', at(id), { name: 'Letters', json_spec, ...extra });
const list = async (client: HttpClient, id: string) =>
  (await client.get<{ count: number; results: Version[] }>(at(id, 'versions/?page_size=100'))).results;

describe('versions of workflows', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ WORKFLOW_REVISIONS_KEPT: '3' });
  });
  afterAll(() => api.stop());

  it('lists what was saved, by whom, with a line on what changed', async () => {
    const { id, owner, editor, viewer } = await makeCast(api, first);
    await save(editor, id, second);
    await save(owner, id, second, { vueflow_json: { a: { x: 1 } } });
    await save(owner, id, second, { name: 'Post', vueflow_json: { a: { x: 1 } } });
    await save(owner, id, { ...second, nodes: [text('a', 'uno', [], 'Greeting'), text('c', 'three')] });
    const versions = await list(viewer, id);
    expect(versions.map(({ content_revision, change_summary }) => [content_revision, change_summary])).toEqual([
      [5, 'Renamed to “Letters”. Rewired 1 connection.'],
      [4, 'Renamed to “Post”.'],
      [3, 'Changed the layout.'],
      [2, 'Added c. Removed b. Changed Greeting.'],
      [1, 'Created with 2 nodes.'],
    ]);
    expect(versions[3]).toEqual({
      content_revision: 2,
      name: 'Letters',
      label: null,
      change_summary: 'Added c. Removed b. Changed Greeting.',
      node_count: 2,
      created_by: { id: expect.any(Number), username: editor.username },
      created_at: expect.any(String),
      is_current: false,
      is_published: false,
    });
    expect(versions[0]).toMatchObject({ is_current: true });
    expect(await owner.get(at(id, 'versions/?page_size=2&page=2'))).toMatchObject({
      count: 5,
      next: expect.stringContaining('page=3'),
      previous: expect.stringContaining('page=1'),
      results: [{ content_revision: 3 }, { content_revision: 2 }],
    });
    expect(await viewer.get(at(id, 'versions/1/'))).toMatchObject({ content_revision: 1, json_spec: first });
  });

  it('says what leads from one version to another', async () => {
    const { id, owner } = await makeCast(api, first);
    await save(owner, id, { ...second, entry: ['a'] }, { vueflow_json: { a: 1 } });
    const there = {
      from: 1,
      to: 2,
      nodes: { added: ['c'], removed: ['b'], changed: [{ id: 'a', paths: ['next[0]', 'params.template'] }] },
      edges: {
        added: [{ source: 'a', target: 'c', type: 'next' }],
        removed: [{ source: 'a', target: 'b', type: 'next' }],
      },
      paths: ['entry'],
      layout_changed: true,
    };
    const diff = await owner.get<typeof there>(at(id, 'versions/1/diff/'));
    for (const node of diff.nodes.changed) node.paths.sort();
    expect(diff).toEqual(there);
    expect(await owner.get(at(id, 'versions/2/diff/?to=1'))).toMatchObject({
      nodes: { added: ['b'], removed: ['c'] },
      edges: { added: [{ target: 'b' }] },
    });
    expect(await owner.get(at(id, 'versions/2/diff/?to=2'))).toMatchObject({
      nodes: { added: [], removed: [], changed: [] },
      edges: { added: [], removed: [] },
      paths: [],
      layout_changed: false,
    });
    expect(await ask(owner, 'GET', at(id, 'versions/1/diff/?to=9'))).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    });
    expect(await ask(owner, 'GET', at(id, 'versions/1/diff/?to=x'))).toMatchObject({
      status: 400,
      body: { to: [expect.any(String)] },
    });
  });

  it('restores an old state as a new revision, tells the sockets, and refuses over an unseen save', async () => {
    const { id, owner, editor } = await makeCast(api, first);
    await save(owner, id, second, { vueflow_json: { moved: true } });
    await ask(owner, 'PATCH', at(id, 'versions/1/'), { label: 'Before' });
    const socket = NodesSocket.of(api.baseUrl, id, `token=${owner.token}`);
    await until(() => socket.frames.length > 0);
    const stale = await ask(editor, 'POST', at(id, 'versions/1/restore/'), { expected_content_revision: 1 });
    expect(stale).toMatchObject({
      status: 409,
      body: {
        detail: 'Workflow save conflict.',
        code: 'save_conflict',
        content_revision: 2,
        last_edited_by: { username: owner.username },
        workflow: { id, json_spec: second },
      },
    });
    expect(await ask(editor, 'POST', at(id, 'versions/1/restore/'), { expected_content_revision: 2 })).toMatchObject({
      status: 200,
      body: { message: expect.any(String), content_revision: 3 },
    });
    expect(await owner.get(at(id))).toMatchObject({
      json_spec: first,
      vueflow_json: {},
      content_revision: 3,
      last_edited_by: { username: editor.username },
    });
    expect((await list(owner, id))[0]).toMatchObject({ change_summary: 'Restored revision 1 (Before).' });
    await until(() => socket.frames.some(({ type }) => type === 'workflow_definition_updated'));
    expect(socket.frames.find(({ type }) => type === 'workflow_definition_updated')).toMatchObject({
      data: first,
      actor: { username: editor.username },
    });
    socket.close();
    expect((await ask(owner, 'POST', at(id, 'versions/99/restore/'), {})).status).toBe(404);
    expect((await ask(owner, 'POST', at(id, 'versions/1/restore/'), { expected_content_revision: 'x' })).status).toBe(
      400,
    );
  });

  it('lets one of two restores at once win', async () => {
    const { id, owner, editor } = await makeCast(api, first);
    await save(owner, id, second);
    const body = { expected_content_revision: 2 };
    const answers = await Promise.all([
      ask(owner, 'POST', at(id, 'versions/1/restore/'), body),
      ask(editor, 'POST', at(id, 'versions/1/restore/'), body),
      save(editor, id, second, body),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await owner.get(at(id))).toMatchObject({ content_revision: 3 });
  });

  it('labels, and takes the label off', async () => {
    const { id, owner } = await makeCast(api, first);
    const path = at(id, 'versions/1/');
    expect(await ask(owner, 'PATCH', path, { label: 'Release 1' })).toMatchObject({
      status: 200,
      body: { label: 'Release 1', content_revision: 1, json_spec: first },
    });
    expect(await ask(owner, 'PATCH', path, { label: 'x'.repeat(101) })).toMatchObject({
      status: 400,
      body: { label: [expect.any(String)] },
    });
    expect((await ask(owner, 'PATCH', path, {})).status).toBe(400);
    expect(await ask(owner, 'PATCH', path, { label: null })).toMatchObject({ status: 200, body: { label: null } });
    expect((await ask(owner, 'PATCH', at(id, 'versions/2/'), { label: 'x' })).status).toBe(404);
    for (const revision of ['0', '-1', 'x', '99999999999', '1.5'])
      expect((await ask(owner, 'GET', at(id, `versions/${revision}/`))).status).toBe(404);
  });

  it('publishes what webhooks run, until it is taken back', async () => {
    const { id, owner } = await makeCast(api, first);
    await save(owner, id, second);
    const runRevision = async () => {
      const { webhook_id, webhook_secret } = await owner.get<Record<string, string>>(at(id));
      expect(
        (await ask(owner, 'POST', '/microservices/workflow/webhook/', { webhook_id, webhook_secret })).status,
      ).toBe(202);
      const [run] = await api.database.dataSource.query<{ content_revision: number }[]>(
        'SELECT content_revision FROM workflow_runs WHERE workflow_id = $1 ORDER BY version DESC LIMIT 1',
        [id],
      );
      await ask(owner, 'POST', '/microservices/workflow/stop/', { workflow_id: id });
      return run!.content_revision;
    };
    expect(await runRevision()).toBe(2);
    expect(await ask(owner, 'POST', at(id, 'versions/1/publish/'))).toEqual({
      status: 200,
      body: { message: expect.any(String), published_revision: 1 },
      headers: expect.anything(),
    });
    expect(await owner.get(at(id))).toMatchObject({ published_revision: 1, content_revision: 2 });
    expect((await list(owner, id)).map(({ is_published }) => is_published)).toEqual([false, true]);
    expect(await runRevision()).toBe(1);
    expect((await ask(owner, 'POST', at(id, 'versions/7/publish/'))).status).toBe(404);
    expect(await ask(owner, 'POST', at(id, 'unpublish/'))).toMatchObject({
      status: 200,
      body: { published_revision: null },
    });
    expect(await runRevision()).toBe(2);
    expect(await auditOf(api, id)).toMatchObject({
      'workflow.published': { actor: owner.username, details: { content_revision: 1 } },
      'workflow.unpublished': { actor: owner.username },
    });
  });

  it('refuses to publish or restore what could not be saved today', async () => {
    const { id, owner } = await makeCast(api, first);
    await api.database.dataSource.query(
      `UPDATE workflow_revisions SET json_spec = jsonb_set(json_spec::jsonb, '{nodes,0,kind}', '"retired"') WHERE workflow_id = $1`,
      [id],
    );
    for (const action of ['publish/', 'restore/'])
      expect(await ask(owner, 'POST', at(id, `versions/1/${action}`), {})).toMatchObject({
        status: 400,
        body: { json_spec: [expect.any(String)], problems: [{ code: 'unknown_kind', node_id: 'a' }] },
      });
  });

  it('lets viewers look, and strangers not even that', async () => {
    const { id, viewer, stranger } = await makeCast(api, first);
    const reads = ['versions/', 'versions/1/', 'versions/1/diff/'];
    const writes: [string, string, object][] = [
      ['PATCH', 'versions/1/', { label: 'x' }],
      ['POST', 'versions/1/restore/', {}],
      ['POST', 'versions/1/publish/', {}],
      ['POST', 'unpublish/', {}],
    ];
    for (const path of reads) {
      expect((await ask(viewer, 'GET', at(id, path))).status).toBe(200);
      expect((await ask(stranger, 'GET', at(id, path))).status).toBe(404);
    }
    for (const [method, path, body] of writes) {
      expect((await ask(viewer, method, at(id, path), body)).status).toBe(403);
      expect((await ask(stranger, method, at(id, path), body)).status).toBe(404);
    }
  });

  it('keeps the newest revisions, the last of each day, and what somebody still needs', async () => {
    const owner = await api.signUp();
    const id = await startWorkflow(owner, first);
    await ask(owner, 'POST', '/microservices/workflow/rerun/', { workflow_id: id });
    for (let save_ = 0; save_ < 11; save_ += 1) await save(owner, id, save_ % 2 ? first : second);
    await ask(owner, 'PATCH', at(id, 'versions/3/'), { label: 'keep' });
    await ask(owner, 'POST', at(id, 'versions/4/publish/'));
    await api.database.dataSource.query(
      `UPDATE workflow_revisions SET created_at = now() - interval '3 days' WHERE workflow_id = $1 AND content_revision <= 6`,
      [id],
    );
    await api.app.get(RevisionRetention).thinOut();
    // 1 was run, 3 has a label, 4 is published, 6 was the last of its day, 10 to 12 are the newest.
    expect((await list(owner, id)).map(({ content_revision }) => content_revision)).toEqual([12, 11, 10, 6, 4, 3, 1]);
    await ask(owner, 'POST', at(id, 'unpublish/'));
    await api.app.get(RevisionRetention).thinOut();
    expect((await list(owner, id)).map(({ content_revision }) => content_revision)).toEqual([12, 11, 10, 6, 3, 1]);
  });
});

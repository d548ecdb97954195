import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { ask, makeCast, startWorkflow } from '../support/workflow-api.js';
import { fanOutAndJoin } from '../support/workflows.js';

const TAGS = '/microservices/workflow/tags/';
interface Tag {
  id: string;
  name: string;
  color: string;
  workflow_count: number;
}
interface Listing {
  count: number;
  results: (Record<string, unknown> & { id: string; name: string })[];
}

const json = (name: string, save_output = false) => ({
  name,
  nodes: [{ id: 'a', kind: 'template', params: { template: '' }, save_output }],
});

const tag = (client: HttpClient, name: string, color = '#A1b2C3') => client.post<Tag>(TAGS, { name, color });
const tagWith = (client: HttpClient, id: string, tag_ids: unknown) =>
  ask(client, 'PUT', `/microservices/workflow/${id}/tags/`, { tag_ids });
const list = (client: HttpClient, query: string) => client.get<Listing>(`/microservices/workflow/${query}`);
const names = async (client: HttpClient, query: string) => (await list(client, query)).results.map(({ name }) => name);

describe('tags and lists of workflows', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it('are for received apps, too', async () => {
    const [owner, receiver] = await Promise.all([api.signUp(), api.signUp()]);
    const id = await startWorkflow(owner, json('Shared'));
    const emails = [`${receiver.username}@test.example`];
    await owner.post(`/microservices/workflow/${id}/share/`, { emails, only_view_in_apps: true });
    const app = (await list(receiver, '')).results[0]!;
    const { id: tagId } = await tag(receiver, 'Apps');
    expect((await tagWith(receiver, app.id, [tagId])).status).toBe(200);
    expect(await names(receiver, `?tag_ids=${tagId}`)).toEqual(['Shared']);
    expect((await tagWith(receiver, id, [tagId])).status).toBe(404);
  });

  it('makes, renames, colours and deletes', async () => {
    const client = await api.signUp();
    const created = await ask(client, 'POST', TAGS, { name: ' Sales ' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.any(String),
        name: 'Sales',
        color: '#64748B',
        workflow_count: 0,
        created_at: expect.any(String),
      },
    });
    await tag(client, 'accounts');
    expect((await client.get<Tag[]>(TAGS)).map(({ name }) => name)).toEqual(['accounts', 'Sales']);
    const path = `${TAGS}${String(created.body.id)}/`;
    expect(await ask(client, 'PATCH', path, { color: '#000000' })).toMatchObject({
      status: 200,
      body: { name: 'Sales', color: '#000000' },
    });
    const taken = { status: 400, body: { name: ['You already have a tag with this name.'] } };
    expect(await ask(client, 'POST', TAGS, { name: 'SALES' })).toMatchObject(taken);
    expect(await ask(client, 'PATCH', path, { name: 'Accounts' })).toMatchObject(taken);
    expect(await ask(client, 'PATCH', path, { name: 'sales' })).toMatchObject({ status: 200, body: { name: 'sales' } });
    expect((await ask(client, 'DELETE', path)).status).toBe(204);
    expect((await ask(client, 'DELETE', path)).status).toBe(404);
    expect((await ask(client, 'PATCH', path, { name: 'x' })).status).toBe(404);
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(51) }, 'name'],
    [{ name: 'x', color: 'red' }, 'color'],
    [{ name: 'x', color: '#12345' }, 'color'],
    [{ name: {} }, 'name'],
  ])('refuses %j', async (body, field) => {
    const client = await api.signUp();
    expect(await ask(client, 'POST', TAGS, body)).toMatchObject({
      status: 400,
      body: { [field]: [expect.any(String)] },
    });
  });

  it('keeps tags private to each viewer of a workflow', async () => {
    const { id, owner, viewer, stranger } = await makeCast(api, fanOutAndJoin);
    const [mine, theirs] = [await tag(owner, 'Mine'), await tag(viewer, 'Mine')];
    expect(await tagWith(owner, id, [mine.id, mine.id])).toMatchObject({
      status: 200,
      body: { workflow_id: id, tags: [{ id: mine.id, name: 'Mine', color: '#A1b2C3' }] },
    });
    expect((await tagWith(viewer, id, [theirs.id])).status).toBe(200);
    const found = async (client: HttpClient) => (await list(client, 'search/?include_tags=true')).results[0]!.tags;
    expect(await found(owner)).toEqual([expect.objectContaining({ id: mine.id })]);
    expect(await found(viewer)).toEqual([expect.objectContaining({ id: theirs.id })]);
    expect((await list(owner, 'search/')).results[0]).not.toHaveProperty('tags');
    expect(await tagWith(viewer, id, [mine.id])).toMatchObject({
      status: 400,
      body: { tag_ids: [`Invalid tag "${mine.id}".`] },
    });
    expect((await tagWith(stranger, id, [])).status).toBe(404);
    expect((await ask(stranger, 'PATCH', `${TAGS}${mine.id}/`, { name: 'x' })).status).toBe(404);
    expect((await tagWith(owner, id, 'x')).status).toBe(400);
    expect((await tagWith(owner, id, ['x'])).status).toBe(400);

    expect((await owner.get<Tag[]>(TAGS))[0]).toMatchObject({ workflow_count: 1 });
    await ask(owner, 'DELETE', `/microservices/workflow/${id}/`);
    expect((await owner.get<Tag[]>(TAGS))[0]).toMatchObject({ workflow_count: 0 });
    expect((await viewer.get<Tag[]>(TAGS))[0]).toMatchObject({ workflow_count: 0 });
  });

  it('makes one tag of a name and sets one list of tags, however many ask at once', async () => {
    const client = await api.signUp();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(client, 'POST', TAGS, { name: 'Once' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 400)]);
    const tags = [
      ...(await client.get<Tag[]>(TAGS)),
      ...(await Promise.all(['A', 'B', 'C'].map((n) => tag(client, n)))),
    ];
    const id = await startWorkflow(client, fanOutAndJoin);
    const halves = [tags.slice(0, 2), tags.slice(2)].map((half) => half.map((one) => one.id).sort());
    const set = await Promise.all(Array.from({ length: 10 }, (_, index) => tagWith(client, id, halves[index % 2])));
    expect(new Set(set.map(({ status }) => status))).toEqual(new Set([200]));
    const [{ tags: left }] = (await list(client, 'search/?include_tags=1')).results as unknown as [{ tags: Tag[] }];
    expect(halves).toContainEqual(left.map((one) => one.id).sort());
  });

  it('filters, orders and searches by every parameter', async () => {
    const client = await api.signUp();
    const create = async (name: string, extra: object = {}, saves = false) =>
      (
        await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
          json: json(name, saves),
          ...extra,
        })
      ).workflow_id;
    const ids = {
      beta: await create('beta', { available_as_app: true, description: 'sends 100% of the Mail' }),
      Alpha: await create('Alpha', { csv_dashbord: true, subtitle: 'x' }, true),
      gamma: await create('gamma', { chatbot_app: true }),
    };
    expect(await names(client, '')).toEqual(['gamma', 'Alpha', 'beta']);
    expect(await names(client, '?ordering=created_at')).toEqual(['beta', 'Alpha', 'gamma']);
    expect(await names(client, '?ordering=name')).toEqual(['Alpha', 'beta', 'gamma']);
    expect(await names(client, '?ordering=-name')).toEqual(['gamma', 'beta', 'Alpha']);
    expect(await names(client, '?ordering=-available_as_app,name')).toEqual(['beta', 'Alpha', 'gamma']);
    for (const ordering of ['nothing', '-', 'name;DROP', 'o.password', ',', 'constructor', '-toString', '__proto__'])
      expect(await names(client, `?ordering=${encodeURIComponent(ordering)}`)).toEqual(['gamma', 'Alpha', 'beta']);
    expect(await names(client, '?available_as_app=true')).toEqual(['beta']);
    expect(await names(client, '?available_as_app=false&ordering=name')).toEqual(['Alpha', 'gamma']);
    // A filter that was left empty filters nothing.
    expect(await names(client, 'search/?status=&available_as_app=&search=&ordering=name')).toHaveLength(3);
    expect(await names(client, '?csv_dashbord=1')).toEqual(['Alpha']);
    expect(await names(client, 'search/?chatbot_app=true')).toEqual(['gamma']);
    expect(await list(client, '?with_outputs=true')).toMatchObject({
      count: 1,
      results: [{ id: ids.Alpha, name: 'Alpha' }],
    });
    expect((await list(client, '?with_outputs=true')).results[0]).toEqual({ id: ids.Alpha, name: 'Alpha' });
    expect(await names(client, 'search/?search=ALPH')).toEqual(['Alpha']);
    expect(await names(client, 'search/?search=mail')).toEqual(['beta']);
    expect(await names(client, `search/?search=${encodeURIComponent('100%')}`)).toEqual(['beta']);
    expect(await names(client, `search/?search=${encodeURIComponent('%')}&available_as_app=false`)).toEqual([]);
    await ask(client, 'PUT', `/microservices/workflow/${ids.beta}/`, { name: 'beta', json_spec: json('beta') });
    expect(await names(client, 'search/')).toEqual(['beta', 'gamma', 'Alpha']);
    await ask(client, 'POST', '/microservices/workflow/rerun/', { workflow_id: ids.gamma });
    expect(await names(client, 'search/?status=PENDING')).toEqual(['gamma']);
    expect(await names(client, 'search/?status=IDLE&ordering=name')).toEqual(['Alpha', 'beta']);
    expect((await ask(client, 'GET', '/microservices/workflow/search/?status=ASLEEP')).status).toBe(400);

    const [red, blue, empty] = await Promise.all(['red', 'blue', 'empty'].map((name) => tag(client, name)));
    await tagWith(client, ids.beta, [red!.id]);
    await tagWith(client, ids.gamma, [red!.id, blue!.id]);
    expect(await names(client, `?tag_ids=${red!.id}&ordering=name`)).toEqual(['beta', 'gamma']);
    expect(await names(client, `search/?tag_ids=${blue!.id}`)).toEqual(['gamma']);
    expect(await names(client, `?tag_ids=${blue!.id},${empty!.id}`)).toEqual(['gamma']);
    expect(await names(client, `?tag_ids=${empty!.id}`)).toEqual([]);
    expect(await names(client, '?tag_ids=')).toHaveLength(3);
    const others = await tag(await api.signUp(), 'red');
    for (const bad of ['x', others.id, `${red!.id},${others.id}`, '00000000-0000-0000-0000-000000000000'])
      for (const path of ['', 'search/'])
        expect(await ask(client, 'GET', `/microservices/workflow/${path}?tag_ids=${bad}`)).toMatchObject({
          status: 400,
          body: { tag_ids: [expect.any(String)] },
        });
    expect(await list(client, '?page=2&page_size=2')).toMatchObject({
      count: 3,
      next: null,
      results: [{ name: 'beta' }],
    });
    for (const query of ['?page=0', '?page_size=101', '?page=x', '?available_as_app=perhaps'])
      expect((await ask(client, 'GET', `/microservices/workflow/${query}`)).status).toBe(400);
  });
});

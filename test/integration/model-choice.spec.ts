import { LanguageModels, ModelChoice } from '@app/models';
import { KeyRotation } from '@app/secrets';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { ModelEndpoint } from '../support/model-endpoint.js';

const NOT_FOUND = { code: 'model_not_found' };

describe('which model answers somebody', () => {
  let api: TestApi;
  let endpoint: ModelEndpoint;
  let choice: ModelChoice;
  let owner: HttpClient;
  let other: HttpClient;
  let ids: { owner: number; other: number };
  let own: number;
  let ours: number;

  const idOf = async ({ username }: HttpClient) => {
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      username,
    ]);
    return row.id;
  };
  /** Statements that were sent meanwhile, at the least of ten times: the api has some of its own to send now and then. */
  const statements = async (work: () => Promise<unknown>) => {
    const { dataSource } = api.app.get(ModelChoice) as unknown as { dataSource: { query: jest.Func } };
    const counts: number[] = [];
    for (let time = 0; time < 10; time += 1) {
      const spy = jest.spyOn(dataSource as never, 'query' as never);
      await work();
      counts.push(spy.mock.calls.length);
      spy.mockRestore();
    }
    return Math.min(...counts);
  };
  const choose = (model: number | null) =>
    api.database.dataSource.query('UPDATE users SET llm_model_id = $2 WHERE id = $1', [ids.owner, model]);

  beforeAll(async () => {
    endpoint = await ModelEndpoint.start();
    api = await startApi({
      LLM_MODELS: JSON.stringify([{ id: 1, name: 'One', value: 'one', base_url: endpoint.baseUrl }]),
      LLM_HOSTS: '127.0.0.1',
      LLM_PROBES: 'false',
    });
    choice = api.app.get(ModelChoice);
    [owner, other] = [await api.signUp(), await api.signUp()];
    ids = { owner: await idOf(owner), other: await idOf(other) };
    const model = { name: 'Mine', value: 'mine', base_url: endpoint.baseUrl, api_key: 'sk-mine' };
    own = (await owner.post<{ id: number }>('/users/models/own/', model)).id;
    ours = (await owner.post<{ id: number }>('/organisations/current/models/', { ...model, value: 'ours' })).id;
  });
  afterAll(async () => {
    await api?.stop();
    await endpoint?.stop();
  });

  it('is theirs for its owner, by each way to name it', async () => {
    for (const [id, value] of [
      [own, 'mine'],
      [ours, 'ours'],
    ] as const) {
      const found = [
        await choice.find(ids.owner, id),
        await choice.choose(ids.owner, id),
        await choice.ofTurn({ userId: ids.owner, modelId: id }, null),
        await choice.ofTurn({ userId: ids.owner, modelId: null }, id),
        await choice.findOfTurn({ userId: ids.owner, modelId: id }),
        await choice.foresee(ids.owner, id),
        await choice.findNamed(ids.owner, value),
        await choice.findNamed(ids.owner, String(id)),
      ];
      expect(found.map((model) => model?.descriptor.id)).toEqual(Array(found.length).fill(id));
    }
    await choose(own);
    expect((await choice.choose(ids.owner)).descriptor.id).toBe(own);
    await choose(null);
  });

  it('is nobody else’s, and never that of work without a person', async () => {
    for (const id of [own, ours]) {
      expect(await choice.find(ids.other, id)).toBeNull();
      expect(await choice.findNamed(ids.other, String(id))).toBeNull();
      expect(await choice.findNamed(null, String(id))).toBeNull();
      expect(await choice.findOfTurn({ userId: ids.other, modelId: id })).toBeNull();
      expect((await choice.ofTurn({ userId: ids.other, modelId: id }, null)).descriptor.id).toBe(1);
      await expect(choice.choose(ids.other, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(choice.choose(null, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(choice.ofTurn({ userId: ids.other, modelId: null }, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(choice.foresee(ids.other, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(choice.require(ids.other, id)).rejects.toMatchObject(NOT_FOUND);
    }
    for (const name of ['mine', 'ours', 'Mine']) expect(await choice.findNamed(ids.other, name)).toBeNull();
    expect((await choice.list(ids.other)).map(({ id }) => id)).toEqual([1]);
  });

  it('costs no statement more than before', async () => {
    expect(await statements(() => choice.choose(ids.owner))).toBe(1);
    expect(await statements(() => choice.choose(ids.owner, 1))).toBe(0);
    expect(await statements(() => choice.ofTurn({ userId: ids.owner, modelId: 1 }, null))).toBe(0);
    expect(await statements(() => choice.require(ids.owner, null))).toBe(0);
    await choice.find(ids.owner, own);
    await choose(own);
    expect(await statements(() => choice.choose(ids.owner))).toBe(1);
    expect(await statements(() => choice.ofTurn({ userId: ids.owner, modelId: own }, null))).toBe(0);
    await choose(null);
  });

  it('keeps what is known of an endpoint while nothing changes, and forgets it with a change', async () => {
    const before = await choice.find(ids.owner, own);
    expect(await choice.find(ids.owner, own)).toBe(before);
    expect((await owner.send('PATCH', `/users/models/own/${own}/`, { name: 'Renamed' })).status).toBe(200);
    const after = await choice.find(ids.owner, own);
    expect(after).not.toBe(before);
    expect(after!.descriptor.name).toBe('Renamed');
  });

  it('is asked with its key under another master key, too', async () => {
    const [{ before }] = await api.database.dataSource.query<[{ before: Buffer }]>(
      'SELECT secret_sealed AS before FROM registered_models WHERE id = $1',
      [own],
    );
    expect(before.includes('sk-mine')).toBe(false);
    const status = await api.app.get(KeyRotation).status();
    expect(status.find(({ name }) => name === 'registered_models.secret_sealed')).toMatchObject({ stale: 0 });
    // Sealed for another row: it opens nowhere else, and the model says that it wants a key.
    await api.database.dataSource.query(
      'UPDATE registered_models SET secret_sealed = $2, version = version + 1 WHERE id = $1',
      [ours, before],
    );
    endpoint.calls.length = 0;
    await owner.post(`/organisations/current/models/${ours}/test/`, {});
    expect(endpoint.keys).toEqual(['']);
  });

  it('is one of the settings, whatever was registered under its number', async () => {
    await api.database.dataSource.query(
      `INSERT INTO registered_models (id, name, value, definition) OVERRIDING SYSTEM VALUE
       SELECT 1, 'Impostor', 'impostor', definition FROM registered_models WHERE id = $1`,
      [own],
    );
    await owner.send('PATCH', `/users/models/own/${own}/`, { name: 'Again' });
    expect(api.app.get(LanguageModels).find(1)!.descriptor.value).toBe('one');
    expect((await choice.list(ids.other)).map(({ value }) => value)).toEqual(['one']);
  });
});

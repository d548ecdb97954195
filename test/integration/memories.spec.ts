import { MemoryRows, MemorySearch, MemoryVectors, type NewMemory, recalledMemories } from '@app/agents';
import { Embeddings, ThreadedEmbeddings } from '@app/integrations';
import { createUserRow } from '../support/documents.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

/** Two dimensions: what is eaten, and all else. */
class EatingEncoder extends Embeddings {
  readonly enabled = true;
  readonly language = null;
  readonly hybridWeight = 0.5;
  readonly read: string[] = [];
  isAway = false;

  constructor(
    readonly modelId: string,
    readonly onPremises = true,
  ) {
    super();
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.isAway) throw new Error('away');
    this.read.push(...texts);
    return texts.map((text) =>
      Float32Array.from(/vegetarian|dinner/.test(text) ? [1, 0] : [0.1, 0.9 + (text.length % 7) / 100]),
    );
  }
}

describe('memories', () => {
  let database: TestDatabase;
  let rows: MemoryRows;
  let userId: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    rows = new MemoryRows(database.dataSource);
  });
  beforeEach(async () => (userId = await createUserRow(database)));
  afterAll(() => database.drop());

  const searchWith = (encoder: Embeddings) => {
    const vectors = new MemoryVectors(database.dataSource, encoder);
    const search = new MemorySearch(database.dataSource, encoder, vectors);
    const recall = async (question: string, onPremises = true) => {
      const { asked, memories } = await search.compare({ userId, onPremises }, question);
      return recalledMemories(asked, memories).map(({ text }) => text);
    };
    return { vectors, recall };
  };
  const keep = (text: string, more: Partial<NewMemory> = {}) =>
    database.dataSource.transaction((tx) =>
      rows.keep(tx, userId, { kind: 'fact', text, confidence: 0.9, sourceTurnId: null, supersedes: null, ...more }),
    );
  const vectorsOf = async () =>
    (
      await database.dataSource.query<{ read: string | null }[]>(
        'SELECT vector_of AS read FROM agent_memories WHERE user_id = $1 ORDER BY created_at, id',
        [userId],
      )
    ).map(({ read }) => read?.split(' ')[0] ?? null);

  it('are read by the encoder in the background, once each, and anew after a change of encoder or text', async () => {
    for (const text of [
      'is vegetarian',
      'lives in Amman',
      'owns boat one',
      'owns boat two',
      'plays chess',
      'has a van',
    ])
      await keep(`The user ${text}.`);
    const first = new EatingEncoder('first');
    const { vectors, recall } = searchWith(first);
    // By words, while there are none.
    expect(await recall('What about dinner tonight?')).toEqual([]);
    await until(async () => (await vectorsOf()).every((read) => read === 'first'));
    expect(await recall('What about dinner tonight?')).toEqual(['The user is vegetarian.']);
    expect(await vectors.fillSome()).toBe(0);
    expect(first.read.filter((text) => text.startsWith('The user')).length).toBe(6);

    const second = searchWith(new EatingEncoder('second'));
    expect(await second.recall('What about dinner tonight?')).toEqual([]);
    await until(async () => (await vectorsOf()).every((read) => read === 'second'));
    expect(await second.recall('What about dinner tonight?')).toEqual(['The user is vegetarian.']);

    const { items } = await rows.list(userId, { search: 'vegetarian' }, { page: 1, pageSize: 1 });
    await rows.update(database.dataSource.manager, userId, items[0]!.id, { text: 'The user eats everything.' });
    expect((await vectorsOf()).filter((read) => read === null)).toHaveLength(1);
    expect(await second.recall('What about dinner tonight?')).not.toContain('The user eats everything.');
  });

  it('are found by the encoder that is there unless it is switched off', async () => {
    const encoder = new ThreadedEmbeddings();
    const { vectors, recall } = searchWith(encoder);
    const others = [
      'a red car',
      'two flats in Porto',
      'a cello',
      'an office in Rome',
      'a key',
      'a server',
      'an old map',
    ];
    for (const other of others) await keep(`The user owns ${other}.`);
    await keep('The user is vegetarian.');
    while ((await vectors.fillSome()) > 0);
    expect((await recall('What shall I cook tonight?'))[0]).toBe('The user is vegetarian.');
    await encoder.close();
  });

  it('are found by words while the encoder is away', async () => {
    const encoder = new EatingEncoder('away');
    encoder.isAway = true;
    await keep('The user lives in Amman.', { cues: ['weather', 'Wetter'] });
    const { recall } = searchWith(encoder);
    expect(await recall('Wie wird das Wetter?')).toEqual(['The user lives in Amman.']);
    expect(await vectorsOf()).toEqual([null]);
  });

  it('of a model of the house go to no model and no encoder elsewhere', async () => {
    const away = new EatingEncoder('away', false);
    await keep('The user sails to Rhodos.', { staysOnPremises: true });
    await keep('The user sails at weekends.');
    const { vectors, recall } = searchWith(away);
    expect(await recall('Where do I sail?', false)).toEqual(['The user sails at weekends.']);
    await vectors.fillSome();
    // Neither is the question of a model of the house.
    expect((await recall('Where do I sail, or to Rhodos?', true)).toSorted()).toEqual([
      'The user sails at weekends.',
      'The user sails to Rhodos.',
    ]);
    expect(JSON.stringify(away.read)).not.toContain('Rhodos');
    // Said to a model elsewhere, too.
    await keep('The user sails to Rhodos');
    expect(await recall('Where do I sail, or to Rhodos?', false)).toHaveLength(2);
  });

  it('are merged where they say the same, replaced where they say so, and not brought back', async () => {
    const first = await keep('The user lives in Amman.');
    expect(await keep('The user lives in AMMAN', { confidence: 1 })).toEqual({ id: first!.id, wasKnown: true });
    expect(await keep('User lives in the Amman.')).toEqual({ id: first!.id, wasKnown: true });
    const second = await keep('The user lives in Irbid.', { supersedes: first!.id });
    expect(second).toMatchObject({ wasKnown: false });
    expect(await keep('The user lives in Aqaba.', { supersedes: first!.id })).toBeNull();
    const { recall } = searchWith(new EatingEncoder('e'));
    expect(await recall('Where do I live?')).toEqual(['The user lives in Irbid.']);
    await rows.delete(userId, second!.id);
    expect(await recall('Where do I live?')).toEqual([]);
  });

  inAll('are recalled from among five thousand, and no more are kept', async () => {
    await database.dataSource.query(
      `INSERT INTO agent_memories (id, user_id, kind, text, text_key, confidence, updated_at)
       SELECT gen_random_uuid(), $1, 'fact', 'The user counted ' || n || ' swans.', 'swans ' || n, 0.8, now() - n * interval '1 hour'
       FROM generate_series(1, 5000) n`,
      [userId],
    );
    const { recall } = searchWith(new EatingEncoder('many'));
    expect(await recall('Did I count 4711 swans?')).toHaveLength(8);
    await keep('The user is vegetarian.');
    const [{ count }] = await database.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM agent_memories WHERE user_id = $1',
      [userId],
    );
    expect(count).toBe(5000);
  });
});

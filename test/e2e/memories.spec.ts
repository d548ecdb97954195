import { newId } from '@app/common';
import { audited } from '../support/audit.js';
import { ChatSocket } from '../support/chat-socket.js';
import { HttpClient } from '../support/http-client.js';
import { type ModelCall, PacingModel } from '../support/pacing-model.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Memory {
  id: string;
  kind: string;
  text: string;
  confidence: number;
  source_turn_id: string | null;
  recall_count: number;
}

const MEMORIES = '/microservices/agent/memories/';
const textOf = ({ messages }: ModelCall, role: string) => {
  const content = messages.findLast((message) => message.role === role)?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
};
const keep = (text: string, more: object = {}) => ({
  action: 'keep',
  text,
  kind: 'fact',
  confidence: 0.9,
  replaces: null,
  ...more,
});

/** What the judge of the test finds in a message. */
function judge(message: string): object[] {
  if (message.includes('I live in Amman')) return [keep('The user lives in Amman.')];
  if (message.includes('I moved to Irbid'))
    return [keep('The user lives in Irbid.', { action: 'replace', replaces: 1 }), keep('The user lives in amman')];
  if (message.includes('my door code'))
    return [keep('The password is 4711 for the door.'), keep('The user may like doors.', { confidence: 0.3 })];
  return [];
}

/** What it says of memories that nobody has said yet when they are needed; of all others besides, which it is not asked. */
function cuesFor(asked: string): object[] {
  const remembered = asked.split('\n').filter((line) => /^\d+\. /.test(line));
  return [...remembered, '99. '].map((line) => ({
    number: Number.parseInt(line, 10),
    cues: line.includes('bees') ? ['honey', 'my password is x'] : [],
  }));
}

describe('memories', () => {
  let platform: HostedPlatform;
  let model: PacingModel;
  let client: HttpClient;
  beforeAll(async () => {
    model = await PacingModel.start((call) => {
      const asked = textOf(call, 'user');
      if (!call.response_format) return { words: ['As ', 'you ', 'say.'] };
      const message = asked.slice(asked.indexOf('-----'));
      return { words: [JSON.stringify({ memories: judge(message), missing_cues: cuesFor(asked) })] };
    }, 1);
    // With an encoder, what a message recalls depends on whether it has read the memories yet.
    const settings = { LLM_PROVIDER: 'openai', LLM_BASE_URL: model.url, LLM_MODEL: 'm', AGENT_MEMORY_ENCODER: 'off' };
    platform = await hostPlatform(['api', 'workflow-runner'], settings);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform.stop();
    await model.stop();
  });

  const list = async (of = client, query = '') =>
    (await of.get<{ count: number; results: Memory[] }>(MEMORIES + query)).results;
  const ask = (message: string, by = client, conversationId = newId()) =>
    by.post<{ turn_id: string; status: string }>('/microservices/agent/chat/', {
      conversation_id: conversationId,
      message,
    });
  const seen = () => JSON.stringify(model.calls.findLast(({ response_format }) => !response_format)!.messages);
  const judged = () => model.calls.filter(({ response_format }) => response_format).length;

  it('are kept of what a user says, recalled in another conversation, and replaced when they change', async () => {
    const conversationId = newId();
    const socket = new ChatSocket(platform.baseUrl, conversationId, { client });
    await socket.opened;
    const { turn_id } = await ask('I live in Amman, by the way. What is 2 and 2?', client, conversationId);
    await until(async () => (await list()).length === 1);
    const [kept] = await list();
    expect(kept).toMatchObject({ text: 'The user lives in Amman.', kind: 'fact', source_turn_id: turn_id });
    const frame = (type: string) => socket.frames.find(({ data }) => data.event_type === type)?.data;
    await until(() => frame('stage:memory_persisted') !== undefined);
    expect(frame('stage:memory_persisted')).toMatchObject({
      status: 'telemetry',
      turn_id,
      event: { text: kept!.text, kind: 'fact', memory_id: kept!.id, superseded_id: null },
    });

    await ask('Which shops are near me when I live here?', client, conversationId);
    const shown = model.calls.findLast((call) => textOf(call, 'user').includes('Which shops'))!;
    expect(JSON.stringify(shown.messages)).toContain('The user lives in Amman.');
    await until(() => frame('stage:memory_recall') !== undefined);
    expect(frame('stage:memory_recall')!.event).toMatchObject({ hit_count: 1, top_texts: [kept!.text] });
    await until(async () => (await list())[0]!.recall_count > 0);

    await ask('I moved to Irbid last week.', client, conversationId);
    await until(async () => (await list())[0]!.text.includes('Irbid'));
    expect((await list()).map(({ text }) => text)).toEqual(['The user lives in Irbid.']);
    const [{ superseded_by }] = await platform.database.dataSource.query<[{ superseded_by: string }]>(
      'SELECT superseded_by FROM agent_memories WHERE id = $1',
      [kept!.id],
    );
    expect(superseded_by).toBe((await list())[0]!.id);
    socket.cut();
  });

  it('are told where no search would find them, once in a conversation', async () => {
    const owner = await HttpClient.signUp(platform.baseUrl);
    const bees = 'The user keeps bees.';
    await owner.post(MEMORIES, { text: bees });
    const conversationId = newId();
    const timesAfter = async (message: string) => {
      await ask(message, owner, conversationId);
      const call = model.calls.findLast((one) => !one.response_format && textOf(one, 'user').includes(message))!;
      return JSON.stringify(call.messages).split(bees).length - 1;
    };
    expect(await timesAfter('What could be offered at the village market?')).toBe(1);
    expect(await timesAfter('And on Sundays?')).toBe(1);
    expect(await timesAfter('What do bees do in winter?')).toBe(2);
  });

  it('that people write or mend get cues from what is judged after the next turn, without a call of their own', async () => {
    const owner = await HttpClient.signUp(platform.baseUrl);
    const made = await owner.post<Memory>(MEMORIES, { text: 'The user has bees.' });
    const cuesOf = async () => {
      const of = 'SELECT cues FROM agent_memories WHERE id = $1';
      return (await platform.database.dataSource.query<{ cues: string }[]>(of, [made.id]))[0]!.cues;
    };
    const asksOfJudge = () => model.calls.filter((call) => textOf(call, 'user').includes('The user has bees'));
    await ask('What is 3 and 4?', owner);
    await until(async () => (await cuesOf()) === 'honey');
    const asks = asksOfJudge().length;
    expect(textOf(asksOfJudge().at(-1)!, 'user')).toContain('1. (fact) The user has bees. (no cues)\n');
    await ask('What is 4 and 5?', owner);
    await until(() => asksOfJudge().length > asks);
    await until(() => asksOfJudge().some((call) => textOf(call, 'user').includes('has bees.\n')));
    await owner.send('PATCH', `${MEMORIES}${made.id}/`, { text: 'The user had bees.' });
    expect(await cuesOf()).toBe('');
  });

  it('are never secrets, nor what is uncertain', async () => {
    const other = await HttpClient.signUp(platform.baseUrl);
    const before = judged();
    const { turn_id } = await ask('my door code is 4711', other);
    await until(() => judged() > before);
    await until(async () => {
      const looked = 'SELECT 1 FROM agent_memory_turns WHERE turn_id = $1';
      return (await platform.database.dataSource.query<unknown[]>(looked, [turn_id])).length === 1;
    });
    expect(await list(other)).toEqual([]);
    const refused = await other.send('POST', MEMORIES, { text: 'My password is hunter2' });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { text: [expect.stringContaining('password')] },
    ]);
  });

  it('are the user’s to write, mend, switch off and delete, and nobody else’s', async () => {
    const owner = await HttpClient.signUp(platform.baseUrl);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const made = await owner.post<Memory>(MEMORIES, { text: 'Answer in French.', kind: 'instruction' });
    expect(made).toMatchObject({
      kind: 'instruction',
      confidence: 1,
      source_turn_id: null,
      stays_on_premises: false,
    });
    const twice = await owner.send('POST', MEMORIES, { text: 'answer in french!' });
    expect([twice.status, await twice.json()]).toMatchObject([400, { text: ['This is remembered already.'] }]);
    expect(await list(stranger)).toEqual([]);
    for (const [method, body] of [
      ['PATCH', { text: 'Mine now' }],
      ['DELETE', undefined],
    ] as const)
      expect((await stranger.send(method, `${MEMORIES}${made.id}/`, body)).status).toBe(404);
    const mended = await owner.send('PATCH', `${MEMORIES}${made.id}/`, { text: 'Answer in Italian.' });
    expect(await mended.json()).toMatchObject({ id: made.id, text: 'Answer in Italian.' });
    expect(await list(owner, '?search=ITALIAN&kind=instruction')).toHaveLength(1);
    expect(await list(owner, '?kind=person')).toEqual([]);

    await ask('Hello', owner);
    expect(seen()).toContain('Answer in Italian.');
    expect(await (await owner.send('PUT', `${MEMORIES}settings/`, { enabled: false })).json()).toEqual({
      enabled: false,
    });
    await ask('I live in Amman, in Weibdeh', owner);
    expect(seen()).not.toContain('Answer in Italian.');
    const looked = model.calls.filter(({ response_format }) => response_format).map((call) => textOf(call, 'user'));
    expect(looked.filter((message) => message.includes('Weibdeh'))).toEqual([]);

    expect((await owner.send('DELETE', `${MEMORIES}${made.id}/`)).status).toBe(204);
    await owner.post(MEMORIES, { text: 'One' });
    await owner.post(MEMORIES, { text: 'Two' });
    expect(await (await owner.send('DELETE', MEMORIES)).json()).toEqual({ deleted: 2 });
    expect(await list(owner)).toEqual([]);
    const { info } = await owner.get<{ info: { id: number } }>('/users/me/');
    const written = await audited(platform.database.dataSource, { subjectId: info.id });
    const memory = written.filter(({ action }) => action.startsWith('memory.'));
    expect(memory.map(({ action }) => action.slice(7)).toSorted()).toEqual([
      'all_deleted',
      'changed',
      'created',
      'created',
      'created',
      'deleted',
      'switched',
    ]);
    expect(JSON.stringify(memory)).not.toContain('Italian');
  });

  inAll('are kept once, however many turns say them at once', async () => {
    const owner = await HttpClient.signUp(platform.baseUrl);
    const before = judged();
    await Promise.all(Array.from({ length: 5 }, () => ask('I live in Amman', owner)));
    await until(() => judged() >= before + 5);
    await until(async () => (await list(owner)).length > 0);
    expect(await list(owner)).toHaveLength(1);
  });
});

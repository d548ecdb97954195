import { newId } from '@app/common';
import { HttpClient } from '../support/http-client.js';
import { type ModelCall, PacingModel, type Written } from '../support/pacing-model.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { until } from '../support/until.js';

const CANARY = 'Zebrafink';
const HOUSE = 2;
const CHAT = '/microservices/agent/chat/';

const insights = { summary: 'About.', document_class: 'other', language: 'en', questions: [] };

/** Whatever a helping call asks for. */
function script({ messages, response_format, tools = [] }: ModelCall): Written {
  const asked = JSON.stringify(messages);
  const called = messages.some(({ role }) => role === 'tool');
  if (tools.length > 0 && asked.includes('look it up') && !called) {
    const questions = { question: `Where does the ${CANARY} live?` };
    return { words: [], toolCalls: [{ id: 'c1', name: 'ask_documents', input: questions }] };
  }
  if (asked.includes('You decide what an assistant should remember')) {
    const memory = {
      action: 'keep',
      text: `The user keeps a ${CANARY}.`,
      kind: 'fact',
      confidence: 0.9,
      replaces: null,
    };
    return { words: [JSON.stringify({ memories: [{ ...memory, cues: ['birds'] }] })] };
  }
  if (asked.includes('You describe documents')) return { words: [JSON.stringify(insights)] };
  return { words: response_format ? ['{"queries": []}'] : ['An ', 'answer.'] };
}

/** What calls of a model are for, by a phrase of their instructions. */
const KINDS = {
  title: 'You name conversations',
  memory: 'You decide what an assistant should remember',
  summary: 'You describe documents',
  workflow: 'You name workflows',
  node: 'Write of the',
  agent: 'You are the assistant of an AI work platform',
};

const callsOf = (model: PacingModel, phrase: string) =>
  model.calls.filter((call) => JSON.stringify(call).includes(phrase)).length;

describe('the model that somebody chose', () => {
  let platform: HostedPlatform;
  let house: PacingModel;
  let away: PacingModel;
  let client: HttpClient;
  let userId: number;

  beforeAll(async () => {
    [house, away] = await Promise.all([PacingModel.start(script, 0), PacingModel.start(script, 0)]);
    const models = [
      { id: 1, name: 'Away', value: 'away', base_url: away.url, on_premises: false, default: true, fallback: HOUSE },
      { id: HOUSE, name: 'In house', value: 'house', base_url: house.url, on_premises: true },
    ];
    platform = await hostPlatform(['api', 'workflow-runner', 'indexer'], {
      LLM_MODELS: JSON.stringify(models),
      CHAT_TITLES: 'true',
      QUERY_MODEL: 'away',
    });
    client = await HttpClient.signUp(platform.baseUrl);
    const [row] = await platform.database.dataSource.query<[{ id: number }]>(
      'SELECT id FROM users WHERE username = $1',
      [client.username],
    );
    userId = row.id;
  });
  afterAll(async () => {
    await platform.stop();
    await Promise.all([house.stop(), away.stop()]);
  });

  const choose = (id: number | null) =>
    platform.database.dataSource.query('UPDATE users SET llm_model_id = $2 WHERE id = $1', [userId, id]);
  const chat = (message: string, more: object = {}) =>
    client.post<{ turn_id: string }>(CHAT, { conversation_id: newId(), message, ...more });
  const settled = async (phrase: string, before: number) => until(() => callsOf(house, phrase) > before);

  it('also names conversations and remembers, whatever the profile says by then', async () => {
    await chat(`My ${CANARY} is called Bo.`, { llm_model_id: HOUSE });
    await settled(KINDS.title, 0);
    await settled(KINDS.memory, 0);
    await choose(HOUSE);
    await chat(`My other ${CANARY} is called Jo.`);
    await choose(null);
    await settled(KINDS.title, 1);
    await settled(KINDS.memory, 1);
    expect(callsOf(away, CANARY)).toBe(0);
  });

  it('also answers what its tools ask of documents', async () => {
    await addIndexedDocument(platform.database.dataSource, {
      ownerId: userId,
      pages: [`The ${CANARY} lives in Australia and eats seeds.`],
    });
    const before = callsOf(house, 'lives in Australia');
    await chat(`Please look it up: the ${CANARY}.`, { llm_model_id: HOUSE });
    expect(callsOf(house, 'lives in Australia')).toBeGreaterThan(before);
    expect(callsOf(away, CANARY)).toBe(0);
  });

  it('also reads documents and tables, names workflows and serves their nodes', async () => {
    await choose(HOUSE);
    const uid = await addIndexedDocument(platform.database.dataSource, {
      ownerId: userId,
      pages: [`Notes on the ${CANARY}.`],
    });
    await client.post(`/semantic-search/${uid}/summary/generate/`, {});
    await settled(KINDS.summary, 0);
    const conversation_id = newId();
    for (const message of [`Tell me about the ${CANARY}`, 'And where does it live, and what does it eat?'])
      expect((await client.send('POST', '/semantic-search/all-files-chat/', { message, conversation_id })).status).toBe(
        200,
      );
    const nodes = [
      { id: 'write', kind: 'language_model', name: CANARY, params: { prompt: `Write of the ${CANARY}.` } },
    ];
    const started = { json: { nodes } };
    const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', started);
    await client.post('/microservices/workflow/rerun/', { workflow_id: id });
    const prompt = `Build something for the ${CANARY}.`;
    await (await client.send('POST', '/microservices/prompt-2-workflow/agent/', { prompt })).text();
    expect(callsOf(house, prompt)).toBeGreaterThan(0);
    await settled(KINDS.workflow, 0);
    await settled(KINDS.node, 0);
    await choose(null);
    expect(callsOf(away, CANARY)).toBe(0);
  });

  it('does without, rather than with another: what was learnt in the house is told to no model elsewhere', async () => {
    const titled = callsOf(away, KINDS.title);
    await chat('What do I keep, a Zebra or a Fink?');
    await until(() => callsOf(away, KINDS.title) > titled && callsOf(away, KINDS.memory) > 0);
    expect(callsOf(away, CANARY)).toBe(0);
    expect(callsOf(away, KINDS.agent)).toBeGreaterThan(0);
    await chat('What do I keep, is it a bird?', { llm_model_id: HOUSE });
    const asked = house.calls.find(
      ({ tools, messages }) => tools && JSON.stringify(messages).includes('is it a bird?'),
    );
    expect(JSON.stringify(asked)).toContain(`The user keeps a ${CANARY}.`);
  });
});

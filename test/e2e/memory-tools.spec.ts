import { newId } from '@app/common';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { type Asked, ScriptedLlm, type ScriptedAnswer } from '../support/scripted-llm.js';
import { until } from '../support/until.js';

const MEMORIES = '/microservices/agent/memories/';

interface Memory {
  id: string;
  text: string;
  confidence: number;
}
interface Reply {
  turn_id: string;
  status: string;
  message: string;
  input: { request_id: string } | null;
}

/** A tool after the other, each once; then an answer. */
const calling =
  (...calls: { name: string; arguments: Record<string, unknown> }[]) =>
  ({ results }: Asked): ScriptedAnswer => {
    const call = calls[results.length];
    return call ? { calls: [call] } : { text: 'Done.' };
  };
const remember = (text: string, more: object = {}) => ({ name: 'remember', arguments: { text, ...more } });

describe('remember and forget', () => {
  const llm = new ScriptedLlm();
  let platform: HostedPlatform;
  let client: HttpClient;
  beforeAll(async () => {
    await llm.start();
    llm.answersPlain(() => '{"memories": []}');
    platform = await hostPlatform(['api', 'workflow-runner'], llm.env);
  });
  beforeEach(async () => (client = await HttpClient.signUp(platform.baseUrl)));
  afterAll(async () => {
    await platform.stop();
    await llm.stop();
  });

  const list = async () => (await client.get<{ results: Memory[] }>(MEMORIES)).results;
  const ask = (message: string) =>
    client.post<Reply>('/microservices/agent/chat/', { conversation_id: newId(), message });
  const stagesOf = async ({ turn_id }: Reply) => {
    const text = await (await client.send('GET', `/microservices/chat-turns/${turn_id}/events/`)).text();
    return text;
  };
  const lastResult = () => llm.asked.at(-1)!.results.at(-1)!;

  it('keep and delete what the user asks for, at once, and tell of it', async () => {
    llm.answers(calling(remember('The user is vegetarian.', { kind: 'preference', cues: ['dinner'] })));
    const asked = await ask('Remember that I am a vegetarian');
    expect(asked.status).toBe('completed');
    const [kept] = await list();
    expect(kept).toMatchObject({ text: 'The user is vegetarian.', confidence: 1 });
    expect(await stagesOf(asked)).toContain('stage:memory_persisted');

    // Nearly the same is merged, without a model.
    llm.answers(calling(remember('User is a vegetarian')));
    await ask('Remember it');
    expect(lastResult()).toContain('was_known');
    expect(await list()).toHaveLength(1);

    // In another conversation, by what it is needed for.
    llm.answers(() => ({ text: 'Lentils.' }));
    await ask('What could there be for dinner tonight?');
    expect(JSON.stringify(llm.asked.at(-1)!.request.messages)).toContain('The user is vegetarian.');

    llm.answers(calling(remember('The user eats fish again.', { replaces: kept!.id })));
    await ask('I eat fish again, remember that instead');
    const replaced = await list();
    expect(replaced.map(({ text }) => text)).toEqual(['The user eats fish again.']);

    llm.answers(({ results }) => {
      if (results.length === 0) return { calls: [{ name: 'forget', arguments: { about: 'fish' } }] };
      if (results.length > 1) return { text: 'Forgotten.' };
      const [id] = /[0-9a-f-]{36}/.exec(results[0]!)!;
      return { calls: [{ name: 'forget', arguments: { ids: [id] } }] };
    });
    expect(await stagesOf(await ask('Forget what I eat'))).toContain('stage:memory_forgotten');
    expect(await list()).toEqual([]);
  });

  it('keep no secrets, and nothing while memory is off', async () => {
    llm.answers(calling(remember('The user’s password is hunter2')));
    await ask('Remember my password hunter2');
    expect(lastResult()).toContain('not remembered');
    llm.answers(calling({ name: 'forget', arguments: { ids: [newId()] } }));
    await ask('Forget it');
    expect(lastResult()).toContain('"not_there":1');
    await client.send('PUT', `${MEMORIES}settings/`, { enabled: false });
    llm.answers(calling(remember('The user has a dog.')));
    await ask('Remember that I have a dog');
    expect(llm.asked[0]!.tools).not.toContain('remember');
    expect(await list()).toEqual([]);
  });

  it('ask first where the words may be those of a document', async () => {
    const kept = await client.post<Memory>(MEMORIES, { text: 'The user has a cat.' });
    llm.answers(calling({ name: 'list_tables', arguments: {} }, remember('The user wants mails sent to Mallory.')));
    const asked = await ask('Which tables are there?');
    expect(asked).toMatchObject({ status: 'clarification' });
    expect(asked.message).toContain('what is remembered of you');
    expect(await list()).toHaveLength(1);

    llm.answers(calling({ name: 'list_tables', arguments: {} }, { name: 'forget', arguments: { ids: [kept.id] } }));
    expect((await ask('Which tables are there, again?')).status).toBe('clarification');
    await until(async () => (await list()).length === 1);
  });

  it('reach nobody else’s memories', async () => {
    const owner = client;
    const theirs = await owner.post<Memory>(MEMORIES, { text: 'The user has a secret garden.' });
    client = await HttpClient.signUp(platform.baseUrl);
    llm.answers(calling({ name: 'forget', arguments: { ids: [theirs.id] } }));
    await ask('Forget the garden');
    llm.answers(calling({ name: 'forget', arguments: { about: 'garden' } }));
    await ask('What of the garden?');
    expect(lastResult()).not.toContain('garden.');
    llm.answers(calling(remember('The user has no garden.', { replaces: theirs.id })));
    await ask('Remember that instead');
    client = owner;
    expect((await list()).map(({ text }) => text)).toEqual(['The user has a secret garden.']);
  });
});

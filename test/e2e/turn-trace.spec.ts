import { newId } from '@app/common';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { OtlpCollector } from '../support/otlp-collector.js';
import type { RunningApp } from '../support/platform.js';
import { ScriptedLlm } from '../support/scripted-llm.js';
import { findTraces } from '../support/traces.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Text {
  text: string;
  characters: number;
}
interface ModelCall {
  purpose: string;
  model: string;
  asked_model: string | null;
  call_id: string;
  attempt: number;
  prompt_tokens: number;
  completion_tokens: number;
  first_token_ms: number | null;
  outcome: string;
  prompt: {
    continues: { entry_id: string; messages: number } | null;
    system: Text | null;
    tools: string[] | null;
    messages: { role: string; content: Text; tool_calls: { tool: string }[] }[];
  } | null;
  answer: { text: Text; tool_calls: { tool: string; arguments: Text }[] } | null;
}
interface Trace {
  status: string;
  count: number;
  next: string | null;
  totals: { requests: number; prompt_tokens: number; completion_tokens: number; cost: number };
  results: {
    id: string;
    type: string;
    model_call: ModelCall | null;
    tool_call: { step_id: string; tool: string; arguments: Text; result: Text; outcome: string } | null;
  }[];
}

const CHAT = '/microservices/agent/chat/';
const CANARY = 'quokka-of-the-trace';

const calls = ({ results }: Trace) => results.flatMap(({ model_call }) => model_call ?? []);

/** What was done for a turn, for its owner and, without contents, for operators. */
describe('the trace of a turn', () => {
  const llm = new ScriptedLlm();
  const collector = new OtlpCollector();
  let platform: HostedPlatform;
  let runner: RunningApp;
  let user: HttpClient;

  beforeAll(async () => {
    const [endpoint] = await Promise.all([collector.start(), llm.start()]);
    const [model] = JSON.parse(llm.env.LLM_MODELS!) as object[];
    const models = [
      { ...model, price: { input: 2, output: 8, currency: 'EUR' }, default: true },
      { id: 2, name: 'Away', value: 'away', base_url: 'http://127.0.0.1:1/v1', fallback: 1, max_retries: 1 },
    ];
    platform = await hostPlatform(['api'], { ...llm.env, LLM_MODELS: JSON.stringify(models) });
    runner = await platform.start('workflow-runner', {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    user = await HttpClient.signUp(platform.baseUrl);
    // What is remembered of a question is a call of its turn too, at a time of its own.
    const off = await user.send('PUT', '/microservices/agent/memories/settings/', { enabled: false });
    expect(off.status).toBe(200);
  });
  afterAll(async () => {
    await platform?.stop();
    await Promise.all([llm.stop(), collector.stop()]);
  });

  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T>(text, values);
  const ask = (message: string, more: object = {}) =>
    user.post<{ turn_id: string; status: string; chat_session_id: number }>(CHAT, {
      conversation_id: newId(),
      message,
      ...more,
    });
  const traceOf = (turnId: string, query = '') => user.get<Trace>(`/microservices/chat-turns/${turnId}/trace/${query}`);
  const ledgerOf = async (turnId: string) => {
    const [sums] = await sql<[{ requests: number; prompt_tokens: number; completion_tokens: number; cost: number }]>(
      `SELECT count(*)::int AS requests, coalesce(sum(prompt_tokens), 0)::int AS prompt_tokens,
         coalesce(sum(completion_tokens), 0)::int AS completion_tokens, coalesce(sum(cost), 0)::float8 AS cost
       FROM model_usage WHERE turn_id = $1`,
      [turnId],
    );
    return sums;
  };
  const work = { calls: [{ name: 'list_tables', arguments: { name: 'bilby-in-the-argument' } }] };
  const count = async (turnId: string) =>
    (await sql<unknown[]>('SELECT FROM chat_trace_entries WHERE turn_id = $1', [turnId])).length;
  const named = (name: string) => collector.spans.filter((span) => span.name === name);

  it('shows prompts, answers, calls and what they took, as the ledger has it', async () => {
    llm.answers(({ results }) => (results.length === 0 ? { text: 'I reckon.', ...work } : { text: 'It is 42.' }));
    const { turn_id } = await ask(`What is six times seven, ${CANARY}?`);
    const trace = await traceOf(turn_id);
    expect(trace).toMatchObject({ status: 'completed', count: 3, totals: await ledgerOf(turn_id) });
    expect(trace.totals.cost).toBeGreaterThan(0);
    expect(trace.results.map(({ type }) => type)).toEqual(['model_call', 'tool_call', 'model_call']);
    const [first, second] = calls(trace);
    expect(first).toMatchObject({ purpose: 'agent', model: 'scripted', attempt: 1, outcome: 'completed' });
    expect(first!.first_token_ms).toBeGreaterThanOrEqual(0);
    expect(first!.prompt).toMatchObject({ continues: null, tools: expect.arrayContaining(['list_tables']) });
    expect(first!.prompt!.messages[0]!.content.text).toContain(CANARY);
    expect(first!.answer).toMatchObject({ text: { text: 'I reckon.' }, tool_calls: [{ tool: 'list_tables' }] });
    // Only what is new of the second prompt.
    expect(second!.prompt).toMatchObject({
      continues: { entry_id: trace.results[0]!.id, messages: 1 },
      tools: null,
      messages: [{ role: 'assistant' }, { role: 'tool', content: { text: expect.stringContaining('files') } }],
    });
    expect(trace.results[1]!.tool_call).toMatchObject({
      step_id: '1.1',
      tool: 'list_tables',
      arguments: { text: expect.stringContaining('bilby-in-the-argument') },
      result: { text: expect.stringContaining('"files":[]') },
      outcome: 'completed',
    });
    const paged = await traceOf(turn_id, '?page=2&page_size=2');
    expect(paged.results).toEqual(trace.results.slice(2));
    expect(paged.totals).toEqual(trace.totals);
  });

  it('is nobody else’s to read, and is sealed', async () => {
    llm.answers(() => ({ text: 'Noted.' }));
    const { turn_id } = await ask('Hello.', { message: 'Remember numbat-in-the-answer.' });
    expect((await traceOf(turn_id)).count).toBe(1);
    const [stranger, staff] = await Promise.all([1, 2].map(() => HttpClient.signUp(platform.baseUrl)));
    await sql('UPDATE users SET is_staff = true WHERE username = $1', [staff!.username]);
    for (const other of [stranger!, staff!])
      expect((await other.send('GET', `/microservices/chat-turns/${turn_id}/trace/`)).status).toBe(404);
    const { REDIS_URL, REDIS_KEY_PREFIX } = platform.env as Record<string, string>;
    const kept = { dataSource: platform.database.dataSource, redis: { url: REDIS_URL!, keyPrefix: REDIS_KEY_PREFIX! } };
    const places = await findTraces({ ...kept, folders: [] }, ['numbat-in-the-answer']);
    expect(places.filter((place) => place.startsWith('chat_trace_entries'))).toEqual([]);
  });

  inAll('shows each try, and who stood in', async () => {
    llm.answers(() => ({ text: 'Here.' }));
    const { turn_id } = await ask('Are you there?', { llm_model_id: 2 });
    const trace = await traceOf(turn_id);
    expect(
      calls(trace).map(({ model, asked_model, attempt, outcome }) => [model, asked_model, attempt, outcome]),
    ).toEqual([
      ['away', 'away', 1, 'failed'],
      ['away', 'away', 2, 'failed'],
      ['scripted', 'away', 3, 'completed'],
    ]);
    expect(new Set(calls(trace).map(({ call_id }) => call_id)).size).toBe(1);
    expect(trace.totals).toMatchObject(await ledgerOf(turn_id));
  });

  inAll('tells how long what was cut is', async () => {
    llm.answers(() => ({ text: 'Long.' }));
    const { turn_id } = await ask('word '.repeat(19_000));
    const [call] = calls(await traceOf(turn_id));
    const { text, characters } = call!.prompt!.messages[0]!.content;
    expect(text.length).toBe(20_000);
    expect(characters).toBeGreaterThan(90_000);
  });

  it('goes with its conversation, and with what was said in an encrypted one', async () => {
    llm.answers(() => ({ text: 'Gone soon.' }));
    const { turn_id, chat_session_id } = await ask('Delete me.');
    expect(await count(turn_id)).toBe(1);
    await user.send('DELETE', `/microservices/chat-sessions/${chat_session_id}/`);
    expect(await count(turn_id)).toBe(0);
    const response = await user.send('POST', '/secure-gpt/chat/', { message: 'Whisper.', encrypted: true });
    await response.text();
    const turnId = response.headers.get('x-turn-id')!;
    await until(async () => (await count(turnId)) === 1);
    const kept = `enc:v1:${'A'.repeat(16)}:${'B'.repeat(40)}`;
    const put = { question: kept, answer: kept };
    expect((await user.send('PUT', `/secure-gpt/chat/${turnId}/`, put)).status).toBe(204);
    expect(await count(turnId)).toBe(0);
    const trace = await traceOf(turnId);
    expect(trace.results[0]!.model_call).toMatchObject({ prompt: null, answer: null, outcome: 'completed' });
    expect(trace.totals).toMatchObject(await ledgerOf(turnId));
  });

  it('reaches the collector of operators without anything that anybody wrote', async () => {
    await until(() => named('execute_tool list_tables').length > 0 && named('invoke_agent').length > 0);
    const [tool] = named('execute_tool list_tables');
    const agent = named('invoke_agent').find(({ spanId }) => spanId === tool!.parentSpanId);
    expect(tool!.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'list_tables',
    });
    expect(agent!.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.request.model': 'scripted',
    });
    const chats = named('chat scripted').filter(({ parentSpanId }) => parentSpanId === agent!.spanId);
    expect(chats).toHaveLength(2);
    expect(chats[0]!.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.response.model': 'scripted',
    });
    expect(Number(chats[0]!.attributes['gen_ai.usage.input_tokens'])).toBeGreaterThan(0);
    for (const word of [CANARY, 'bilby-in', 'I reckon', 'It is 42', 'numbat', user.token])
      expect(collector.raw).not.toContain(word);
  });

  inAll('equals the ledger after its worker was killed', async () => {
    llm.answers(
      ({ results, told }) =>
        results.length === 0 ? work : { text: told === '' ? 'Wombats dig. '.repeat(60) : 'Wombats dig.' },
      { slowly: true },
    );
    const asked = user.post<{ turn_id: string; status: string }>(CHAT, {
      conversation_id: newId(),
      message: 'Tell me.',
    });
    let turnId = '';
    await until(async () => {
      const [row] = await sql<{ id: string }[]>(
        `SELECT t.id FROM chat_turns t JOIN chat_turn_events e ON e.turn_id = t.id
         WHERE t.question = 'Tell me.' AND t.status = 'running' AND e.type = 'delta' LIMIT 1`,
      );
      turnId = row?.id ?? '';
      return turnId !== '';
    });
    // A step that is kept has its trace.
    const before = await traceOf(turnId);
    expect(before.results.map(({ type }) => type)).toEqual(['model_call', 'tool_call']);
    await runner.kill('SIGKILL');
    await platform.host('workflow-runner');
    const { turn_id, status } = await asked;
    expect(status).toBe('completed');
    const trace = await traceOf(turn_id);
    expect(trace.results.slice(0, 2)).toEqual(before.results);
    expect(calls(trace)).toHaveLength(2);
    expect(trace.totals).toMatchObject(await ledgerOf(turn_id));
  });
});

import * as hostile from '../support/hostile-model.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

const KEY = 'sk-canary-of-the-key';
const PROMPT = 'canary of the prompt';

/** From the endpoint through runner and api to the client: what goes wrong at a model, and that nothing of it leaks. */
describe('a model that behaves badly', () => {
  const [first, second] = [new hostile.HostileModel(), new hostile.HostileModel()];
  let platform: HostedPlatform;
  let client: HttpClient;

  beforeAll(async () => {
    await Promise.all([first.start(), second.start()]);
    const known = { api_key: KEY, max_retries: 1 };
    const models = [
      { ...known, id: 1, name: 'Alone', value: 'alone', base_url: first.baseUrl, price: { input: 1, output: 1 } },
      { ...known, id: 2, name: 'Backed', value: 'backed', base_url: first.baseUrl, fallback: 3 },
      { ...known, id: 3, name: 'Stand-in', value: 'stand-in', base_url: second.baseUrl },
      { ...known, id: 4, name: 'Small', value: 'small', base_url: first.baseUrl, context_window: 400 },
      {
        ...known,
        id: 5,
        name: 'Impatient',
        value: 'impatient',
        base_url: first.baseUrl,
        timeout: { first_token_seconds: 1 },
      },
    ];
    platform = await hostPlatform(['api', 'workflow-runner'], {
      LLM_MODELS: JSON.stringify(models),
      CHAT_TITLES: 'false',
      LOG_LEVEL: 'debug',
    });
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform?.stop();
    await Promise.all([first.stop(), second.stop()]);
  });
  afterEach(() => {
    const logs = platform.log();
    expect(logs).not.toContain(KEY);
    expect(logs).not.toContain(PROMPT);
    expect(logs).not.toContain('Bearer');
  });

  async function ask(llm_model_id: number, message = PROMPT) {
    const response = await client.send('POST', '/secure-gpt/chat/', { message, llm_model_id });
    const text = await response.text().catch((error: Error) => `broken off: ${error.message}`);
    return { status: response.status, text, turn: response.headers.get('x-turn-id') };
  }
  const uses = (turn: string | null) =>
    platform.database.dataSource.query<{ model: string; outcome: string }[]>(
      'SELECT model, outcome FROM model_usage WHERE turn_id = $1 ORDER BY created_at, outcome DESC',
      [turn],
    );

  it.each<[string, hostile.Behaviour, number, string]>([
    ['refuses the key', hostile.refuses(401), 502, 'model_auth_failed'],
    ['refuses the account', hostile.refuses(403), 502, 'model_auth_failed'],
    ['does not know the name', hostile.refuses(404), 502, 'model_not_found'],
    ['has no credit left', hostile.refuses(429, 'insufficient_quota'), 502, 'model_rate_limited'],
    ['is asked too often', hostile.refuses(429), 502, 'model_rate_limited'],
    ['fails each time', hostile.refuses(500), 502, 'model_error'],
    ['finds it too long', hostile.refuses(400, 'context_length_exceeded'), 400, 'context_too_long'],
    ['answers nonsense', hostile.writes('data: {nonsense\n\n'), 502, 'model_error'],
  ])('that %s is told to the client by its code alone', async (_name, behaviour, status, code) => {
    first.always(behaviour);
    const answer = await ask(1);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(code) as string });
    expect(answer.text).not.toContain(PROMPT);
    expect(answer.text).not.toContain(KEY);
  });

  it('that never begins is told as that', async () => {
    first.always(hostile.stallsAfterHeaders);
    expect(await ask(5)).toMatchObject({ status: 504, text: expect.stringContaining('model_timeout') as string });
  });

  it('has another one answer, which the turn and the metering know', async () => {
    first.always(hostile.refuses(401));
    second.next();
    const { status, text, turn } = await ask(2);
    expect([status, text]).toEqual([200, 'Fine.']);
    const [row] = await platform.database.dataSource.query<{ model: string }[]>(
      'SELECT model FROM chat_turns WHERE id = $1',
      [turn],
    );
    expect(row).toEqual({ model: 'stand-in' });
    await until(async () => (await uses(turn)).length === 2);
    expect(await uses(turn)).toEqual([
      { model: 'backed', outcome: 'failed' },
      { model: 'stand-in', outcome: 'completed' },
    ]);
  });

  it('is not asked for what it cannot read', async () => {
    first.next();
    const answer = await ask(4, `${PROMPT} ${'word '.repeat(2_000)}`);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('context_too_long') as string });
    expect(first.calls).toHaveLength(0);
  });

  it('that nobody knows is no model', async () => {
    expect(await ask(77)).toMatchObject({ status: 404, text: expect.stringContaining('model_not_found') as string });
  });
});

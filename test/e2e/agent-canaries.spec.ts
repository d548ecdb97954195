import { randomBytes } from 'node:crypto';
import { newId } from '@app/common';
import { EventStream } from '../support/event-stream.js';
import { HttpClient } from '../support/http-client.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { PacingModel } from '../support/pacing-model.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { findTraces } from '../support/traces.js';
import { until } from '../support/until.js';

const canary = (kind: string) => `${kind}-${randomBytes(16).toString('hex')}`;

/** Everything that came with the last call of the server. */
const toldTo = (server: OddServer) => JSON.stringify(server.requests.at(-1)!.headers);

const repeatWhatWasTold = (server: OddServer) => () => ({
  content: [{ type: 'text', text: `You are ${toldTo(server)}` }],
  structuredContent: { told: toldTo(server) },
});

/** Keys of models and of tool servers, with servers that tell everything they are told. */
describe('canary secrets of agents', () => {
  const secrets = {
    model: canary('model'),
    bearer: canary('bearer'),
    header: canary('header'),
    wrong: canary('wrong'),
  };
  const words = Object.values(secrets);
  const seen: string[] = [];
  let platform: HostedPlatform;
  let client: HttpClient;
  let tools: OddServer;
  let model: PacingModel;

  const told = () => toldTo(tools);

  beforeAll(async () => {
    tools = await OddServer.start();
    const run = repeatWhatWasTold(tools);
    const annotations = { readOnlyHint: true };
    tools.tools = [
      { name: 'echo', annotations, run },
      { name: 'fail', annotations, run: () => ({ ...run(), isError: true }) },
      {
        name: 'throw',
        annotations,
        run: () => {
          throw new Error(told());
        },
      },
    ];
    model = await PacingModel.start(({ messages, tools: offered = [] }) => {
      if (messages.some(({ role }) => role === 'tool')) return { words: ['Done.'] };
      const names = offered.map(({ function: { name } }) => name).filter((name) => name.includes('__'));
      return { words: ['Trying. '], toolCalls: names.map((name) => ({ id: `call-${name}`, name, input: {} })) };
    }, 1);
    platform = await hostPlatform(['api', 'workflow-runner'], {
      LOG_LEVEL: 'trace',
      LOG_REQUESTS: 'true',
      MCP_HOSTS: tools.host,
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'm',
      LLM_API_KEY: secrets.model,
    });
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform.stop();
    await Promise.all([tools.stop(), model.stop()]);
  });

  async function send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await client.send(method, path, body);
    const text = await response.text();
    seen.push(text);
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  }

  it('appear in no answer, event, error, log line, table or key of Redis', async () => {
    for (const settings of [
      { auth_type: 'bearer', secret: secrets.bearer },
      { auth_type: 'header', auth_header_name: 'X-Api-Key', secret: secrets.header },
    ]) {
      const server = await send('POST', '/mcp-servers/servers/', { label: 'Odd', url: tools.url, ...settings });
      const path = `/mcp-servers/servers/${String(server.id)}/`;
      expect(await send('POST', `${path}test/`, {})).toMatchObject({ ok: true });
      const conversation_id = newId();
      const turn = await send('POST', '/microservices/agent/chat/', { conversation_id, message: 'Try the tools.' });
      expect(turn).toMatchObject({ status: 'completed', answer: expect.stringContaining('Done.') });
      const events = new EventStream(
        `${platform.baseUrl}/microservices/chat-turns/${String(turn.turn_id)}/events/?after=0`,
        client,
      );
      await events.ended;
      seen.push(JSON.stringify(events.events));
      // The tools were called, and have told what they were told.
      expect(tools.methods.filter((method) => method === 'tools/call').length).toBeGreaterThanOrEqual(3);
      expect(tools.methods).not.toContain('notifications/cancelled');
      tools.intercept = (_, response) => {
        response.writeHead(401, { 'www-authenticate': `Bearer error_description="${told().replaceAll('"', "'")}"` });
        response.end(told());
        return true;
      };
      expect(await send('POST', `${path}test/`, {})).toMatchObject({ ok: false });
      await send('POST', '/mcp-servers/servers/test/', { id: server.id, auth_type: 'bearer', secret: secrets.wrong });
      tools.intercept = (_, response) => {
        response.writeHead(500).end(told());
        return true;
      };
      expect(await send('POST', `${path}test/`, {})).toMatchObject({ ok: false });
      tools.intercept = null;
      await send('GET', '/mcp-servers/servers/');
      await send('GET', path);
      expect(await send('POST', `${path}test/`, {})).toMatchObject({ ok: true });
      await send('PUT', path, { enabled: false });
      tools.requests.length = 0;
    }
    const sessions = (await send('GET', '/microservices/chat-sessions/')).results as { id: number }[];
    for (const { id } of sessions) await send('GET', `/microservices/chat-sessions/${id}/messages/`);
    await until(async () => {
      const [row] = await platform.database.dataSource.query<[{ open: number }]>(
        `SELECT count(*)::int AS open FROM chat_turns WHERE status NOT IN ('completed', 'failed', 'interrupted')`,
      );
      return row.open === 0;
    });

    // The servers were given them, or this test proves nothing.
    expect(JSON.stringify(model.calls).length).toBeGreaterThan(1000);
    expect(words.filter((word) => seen.join('\n').includes(word))).toEqual([]);
    expect(words.filter((word) => JSON.stringify(model.calls).includes(word))).toEqual([]);
    const logs = platform.log();
    expect(logs.length).toBeGreaterThan(5000);
    expect(words.filter((word) => logs.includes(word))).toEqual([]);
    const { REDIS_URL, REDIS_KEY_PREFIX, STORAGE_DIR } = platform.env as Record<string, string>;
    const redis = { url: REDIS_URL!, keyPrefix: REDIS_KEY_PREFIX! };
    const { dataSource } = platform.database;
    expect(await findTraces({ dataSource, redis, folders: [STORAGE_DIR!] }, words)).toEqual([]);
  });
});

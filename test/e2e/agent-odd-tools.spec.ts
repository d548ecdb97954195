import { newId } from '@app/common';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { sample } from '../support/long.js';
import { type OddTool, OddServer } from '../support/mcp-odd-server.js';
import { ScriptedLlm } from '../support/scripted-llm.js';

const CHAT = '/microservices/agent/chat/';
const SERVERS = '/mcp-servers/servers/';
const long = 'x'.repeat(13_000);
const reads = { readOnlyHint: true };

/** What is no JSON Schema, or not of an object: stored as it came, since the rest of the server works. */
const SCHEMAS: Record<string, Record<string, unknown>> = {
  no_properties: { type: 'object', properties: null, required: ['a'] },
  listed_properties: { type: 'object', properties: ['a'] },
  null_property: { type: 'object', properties: { a: null, b: { type: 'string', title: 7 } }, required: ['b'] },
  required_text: { type: 'object', properties: { a: { type: 'string' } }, required: 'a' },
  required_flag: { type: 'object', properties: { a: { type: 'string', required: true } }, required: true },
  required_objects: { type: 'object', properties: { a: {} }, required: [{ a: 1 }, null] },
  enum_number: { type: 'object', properties: { a: { enum: 7 }, b: { type: 'string', enum: null } } },
  long_null: { type: 'object', description: long, properties: { a: null, b: 7 }, required: 'b' },
  long_none: { type: 'object', description: long, properties: null },
  no_object: { type: 'string' },
  odd_items: { type: ['object', 'thing'], properties: { a: { type: 'array', items: [null, 7] } } },
  own_names: JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{}}}',
  ) as object as never,
};

describe('an agent whose tool server describes its tools in nonsense', () => {
  const llm = new ScriptedLlm();
  let platform: HostedPlatform;
  let odd: OddServer;
  let user: HttpClient;

  beforeAll(async () => {
    [odd] = await Promise.all([OddServer.start(), llm.start()]);
    odd.tools = Object.entries(SCHEMAS).map(([name, inputSchema]): OddTool => ({
      name,
      annotations: reads,
      inputSchema,
    }));
    platform = await hostPlatform(['api'], { ...llm.env, MCP_HOSTS: odd.host, LEASE_SECONDS: '5' });
    await platform.start('workflow-runner');
    user = await HttpClient.signUp(platform.baseUrl);
    const { id } = await user.post<{ id: number }>(SERVERS, { label: 'Odd', url: odd.url });
    const probe = await user.post(`${SERVERS}${id}/test/`, {});
    expect(probe).toMatchObject({ ok: true, tool_count: Object.keys(SCHEMAS).length });
  });
  afterAll(async () => {
    await platform?.stop();
    await Promise.all([llm.stop(), odd.stop()]);
  });

  it.each(sample(Object.keys(SCHEMAS), 4))('uses %s, and finds the others', async (name) => {
    llm.answers(({ results }) => {
      if (results.length === 0) return { calls: [{ name: 'find_tools', arguments: { query: name } }] };
      if (results.length === 1) return { calls: [{ name: `odd__${name}`, arguments: { a: 'one', b: 'two' } }] };
      return { text: `It said: ${results[1]}` };
    });
    const { status, answer } = await user.post<{ status: string; answer: string }>(CHAT, {
      conversation_id: newId(),
      message: 'Please say one and two.',
    });
    expect(status).toBe('completed');
    expect(answer).toMatch(/one|input does not fit/);
  });
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EventStream } from '../support/event-stream.js';
import { HttpClient } from '../support/http-client.js';
import { LONG } from '../support/long.js';
import { apiToken, postMcp } from '../support/mcp-client.js';
import { close, listen } from '../support/oidc.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { Directory } from '../support/scim.js';
import { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';

const PATH = '/microservices/workflow/';
/** Told slowly, it takes more than half a minute: nothing here ends by itself. */
const TEXT = 'word '.repeat(2400);
const SLOW = { name: 'Slow', nodes: [{ id: 'wait', kind: 'delay', params: { seconds: 60 } }] };

/** How the account is deactivated: told to every process at once, or found out. */
const WAYS = ['SCIM', 'SQL'] as const;
type Way = (typeof WAYS)[number];
/** Both ways end streams of answers; `npm test` ends each of the other calls in one of them. */
const inTurn = (way: Way) => (LONG ? WAYS : [way]);

describe('calls that are open when their account is deactivated', () => {
  let api: HostedPlatform;
  let acme: Directory;
  const llm = new ScriptedLlm();
  /** Answers in pieces come slowly, whole ones never. */
  const model = createServer((request, response) => void answerInPieces(request, response, llm));
  beforeAll(async () => {
    await llm.start();
    llm.answers(() => ({ text: TEXT }), { slowly: true });
    llm.answersPlain(() => TEXT);
    const LLM_BASE_URL = `${await listen(model)}/v1`;
    api = await hostPlatform(['api', 'workflow-runner'], { ...llm.env, LLM_BASE_URL, LOG_LEVEL: 'fatal' });
    acme = await Directory.open(api);
  });
  afterAll(async () => {
    await api?.stop();
    await close(model);
    await llm.stop();
  });

  const sql = <T>(text: string, values: unknown[]) => api.database.dataSource.query<T[]>(text, values);
  async function member(): Promise<{ client: HttpClient; id: number }> {
    const client = await HttpClient.signUp(api.baseUrl);
    const { info } = await client.get<{ info: { id: number } }>('/users/me/');
    await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [info.id, acme.organizationId]);
    return { client, id: info.id };
  }
  const deactivate = async (id: number, way: Way) => {
    if (way === 'SCIM') await acme.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    else await sql('UPDATE users SET is_active = false WHERE id = $1', [id]);
  };

  it.each(WAYS)('end with the error of their framing (%s)', async (way) => {
    const { client, id } = await member();
    const bystander = await HttpClient.signUp(api.baseUrl);
    const ask = (framing: string, by = client) => by.send('POST', `/secure-gpt/chat/${framing}`, { message: 'Write.' });
    const [events, raw, other] = [await ask('?framing=sse'), await ask(''), await ask('?framing=sse', bystander)];
    expect([events.status, raw.status, other.status]).toEqual([200, 200, 200]);
    const turn = new EventStream(
      `${api.baseUrl}/microservices/chat-turns/${events.headers.get('x-turn-id')!}/events/`,
      client,
    );
    const watched = watch(other);
    await until(() => turn.names().includes('delta'));
    await deactivate(id, way);
    expect(await events.text()).toMatch(/event: error\ndata: {"code":"account_inactive","detail":"[^"]+"}\n\n$/);
    await expect(raw.text()).rejects.toThrow();
    await turn.ended;
    expect(turn.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'account_inactive' } });
    expect(watched.isOpen()).toBe(true);
    await watched.cancel();
  });

  it.each(inTurn('SCIM'))('of the MCP endpoint end, too (%s)', async (way) => {
    const { client, id } = await member();
    const token = await apiToken(client, ['workflows:read', 'workflows:run']);
    const { workflow_id } = await client.post<{ workflow_id: string }>(`${PATH}start/`, { json: SLOW });
    const called = postMcp(
      api.baseUrl,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'run_workflow', arguments: { workflow_id, wait_seconds: 40 } },
      },
      { authorization: `Bearer ${token}` },
    );
    await until(async () => {
      const rows = await sql(`SELECT FROM workflow_runs WHERE workflow_id = $1 AND status = 'RUNNING'`, [workflow_id]);
      return rows.length > 0;
    });
    await deactivate(id, way);
    const { messages } = await called;
    expect(messages.at(-1)?.result).toMatchObject({
      isError: true,
      _meta: { 'atrium/error': { code: 'account_inactive' } },
    });
  });

  it.each(inTurn('SQL'))('and workflows are written no further (%s)', async (way) => {
    const { client, id } = await member();
    const body = { prompt: 'Build a workflow that says hello.', stream: true, save: true };
    const writing = await client.send('POST', '/microservices/prompt-2-workflow/agent/', body);
    expect(writing.status).toBe(200);
    await until(async () => {
      const told = await sql(
        'SELECT FROM workflow_authoring_events e JOIN workflow_authoring_turns t ON t.id = e.turn_id WHERE t.user_id = $1',
        [id],
      );
      return told.length > 1;
    });
    await deactivate(id, way);
    expect(await writing.text()).toContain('"account_inactive"');
    const ended = () =>
      sql<{ status: string; result: { error: { code: string } } }>(
        'SELECT status, result FROM workflow_authoring_turns WHERE user_id = $1',
        [id],
      );
    await until(async () => (await ended())[0]?.status === 'failed');
    expect(await ended()).toMatchObject([{ result: { error: { code: 'account_inactive' } } }]);
    expect(await sql('SELECT FROM workflows WHERE owner_id = $1', [id])).toEqual([]);
  });

  it('and those of a session that is ended elsewhere', async () => {
    const { client } = await member();
    const events = await client.send('POST', '/secure-gpt/chat/?framing=sse', { message: 'Write.' });
    const reading = events.text();
    await client.send('POST', '/api/v1/auth/logout-all/', {});
    expect(await reading).toContain('"session_ended"');
  });

  it.each(inTurn('SCIM'))(
    'a sub-workflow of theirs fails the node that waits for it, now and later (%s)',
    async (way) => {
      const [{ client: theirs, id }, caller] = [await member(), await HttpClient.signUp(api.baseUrl)];
      const { workflow_id: child } = await theirs.post<{ workflow_id: string }>(`${PATH}start/`, { json: SLOW });
      await theirs.post(`${PATH}${child}/collaborators/`, {
        emails: [`${caller.username}@test.example`],
        role: 'editor',
      });
      const nodes = [{ id: 'sub', kind: 'sub_workflow', params: { workflow_id: child }, retry: { max_attempts: 3 } }];
      const { workflow_id: parent } = await caller.post<{ workflow_id: string }>(`${PATH}start/`, {
        json: { name: 'Caller', nodes },
      });
      const failsWithCode = async () => {
        await until(
          async () => (await caller.get<{ status: string }>(`${PATH}${parent}/`)).status === 'FAILED',
          20_000,
        );
        const rows = await caller.get<{ node_id: string; error: { code: string } | null }[]>(`${PATH}${parent}/nodes/`);
        expect(rows[0]).toMatchObject({ node_id: 'sub', error: { code: 'owner_inactive' } });
      };
      await caller.post(`${PATH}rerun/`, { workflow_id: parent });
      await until(async () => {
        const rows = await sql(
          `SELECT FROM workflow_runs WHERE workflow_id = $1 AND status = 'RUNNING' AND parent_run_id IS NOT NULL`,
          [child],
        );
        return rows.length > 0;
      });
      await deactivate(id, way);
      await failsWithCode();
      await caller.post(`${PATH}rerun/`, { workflow_id: parent });
      await failsWithCode();
    },
  );
});

/** Reads on, so that nothing is held back. */
function watch(response: Response): { isOpen(): boolean; cancel(): Promise<void> } {
  let open = true;
  const reader = response.body!.getReader();
  const read = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  read().then(
    () => (open = false),
    () => (open = false),
  );
  return { isOpen: () => open, cancel: () => reader.cancel() };
}

async function answerInPieces(request: IncomingMessage, response: ServerResponse, llm: ScriptedLlm): Promise<void> {
  const body = await text(request);
  if ((JSON.parse(body) as { stream?: boolean }).stream !== true) return;
  const { origin } = new URL(llm.env['LLM_BASE_URL']!);
  const answer = await fetch(origin + request.url!, { method: 'POST', body, headers: { authorization: 'Bearer k' } });
  response.writeHead(answer.status, { 'content-type': 'text/event-stream' });
  Readable.fromWeb(answer.body!).pipe(response);
}

import { randomInt } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/common';
import { ChatSocket } from '../support/chat-socket.js';
import { HttpClient } from '../support/http-client.js';
import { FULL, LONG } from '../support/long.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { PacingModel } from '../support/pacing-model.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import type { RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';

/** The figures with `npm run test:chaos` and `npm run test:long`; a shorter run of the same kind in `npm test`. */
const full = LONG || FULL;
const SECONDS = full ? 60 : 6;
const RECONNECTS = full ? 20 : 8;
const GAP_MS = 20;
const WORDS = (SECONDS * 1000) / GAP_MS / 2;

const wordsOf = (part: string) =>
  Array.from({ length: WORDS }, (_, at) => `${part}${at} ${at % 9 === 0 ? '🙂é' : ''} `);
const FIRST = wordsOf('first');
const SECOND = wordsOf('second');

jest.setTimeout(240_000);

describe('a long turn whose runner is killed and whose client comes and goes', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  let tools: OddServer;
  let model: PacingModel;
  let runner: RunningApp;
  const bumps: string[] = [];

  beforeAll(async () => {
    tools = await OddServer.start();
    tools.tools = [
      {
        name: 'bump',
        description: 'Counts once more.',
        inputSchema: { type: 'object', properties: { note: { type: 'string' } } },
        run: async ({ input }) => {
          bumps.push(String(input.note));
          await sleep(200);
          return { content: [{ type: 'text', text: 'counted' }] };
        },
      },
    ];
    // Writes the same again when it is asked to go on: the seam must not show.
    model = await PacingModel.start(({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return { words: SECOND };
      return { words: FIRST, toolCalls: [{ id: 'call-1', name: 'counter__bump', input: { note: 'once' } }] };
    }, GAP_MS);
    platform = await hostPlatform(['api'], {
      LEASE_SECONDS: '3',
      HEARTBEAT_SECONDS: '1',
      SWEEP_SECONDS: '1',
      MCP_HOSTS: tools.host,
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'm',
    });
    runner = await platform.start('workflow-runner');
    client = await HttpClient.signUp(platform.baseUrl);
    const server = await client.post<{ id: number }>('/mcp-servers/servers/', { label: 'Counter', url: tools.url });
    expect(await client.post(`/mcp-servers/servers/${server.id}/test/`, {})).toMatchObject({ ok: true, error: '' });
  });
  afterAll(async () => {
    await platform.stop();
    await Promise.all([tools.stop(), model.stop()]);
  });

  const post = (path: string, body: object) => client.send('POST', path, body);

  /** Reads events and cuts the connection after some bytes. @returns what came, as far as it is whole. */
  function readSome(turnId: string, lastEventId: string, bytes: number): Promise<string> {
    return new Promise((resolve) => {
      let text = Buffer.alloc(0);
      const url = `${platform.baseUrl}/microservices/chat-turns/${turnId}/events/`;
      const headers = { authorization: `Token ${client.token}`, 'last-event-id': lastEventId };
      const sent = request(url, { headers }, (response) => {
        response.on('data', (piece: Buffer) => {
          text = Buffer.concat([text, piece]).subarray(0, bytes);
          if (text.length === bytes) sent.destroy();
        });
        response.on('close', () => resolve(text.toString()));
      });
      sent.on('error', () => resolve(text.toString()));
      sent.end();
    });
  }

  it('tells the same bytes, acts once and comes to its end', async () => {
    const conversationId = newId();
    const answered = post('/microservices/agent/chat/', {
      conversation_id: conversationId,
      message: 'Write, count once and write on.',
      client_turn_id: 'chaos',
    });
    const socket = new ChatSocket(platform.baseUrl, conversationId, { client });
    const unfinished = () =>
      client.get<{ turns: { turn_id: string }[] }>(
        `/microservices/agent/chat/queue/?conversation_id=${conversationId}`,
      );
    await until(async () => (await unfinished()).turns.length === 1);
    const turnId = (await unfinished()).turns[0]!.turn_id;
    const turn = () =>
      client.get<{ status: string; answer: string; input: { kind: string; request_id: string } | null }>(
        `/microservices/chat-turns/${turnId}/`,
      );

    let read = '';
    let lastId = '0';
    let connections = 0;
    const reading = (async () => {
      for (let hasEnded = false; !hasEnded;) {
        connections += 1;
        const bytes = connections <= RECONNECTS ? randomInt(1, Math.ceil((2 * 60 * WORDS) / RECONNECTS)) : 1e9;
        const frames = (await readSome(turnId, lastId, bytes)).split('\n\n').slice(0, -1);
        for (const frame of frames) {
          const [id, event, data] = ['id', 'event', 'data'].map(
            (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1],
          );
          if (id === undefined || data === undefined) continue;
          expect(Number(id)).toBe(Number(lastId) + 1);
          lastId = id;
          const { offset, text } = JSON.parse(data) as { offset: number; text: string };
          if (event === 'delta') {
            expect(offset).toBe(read.length);
            read += text;
          }
          hasEnded = event === 'end' || event === 'done';
        }
      }
    })();

    // In the middle of the first text.
    await until(async () => (await turn()).answer.length > FIRST.join('').length / 3, SECONDS * 1000);
    await runner.kill('SIGKILL');
    runner = await platform.start('workflow-runner');
    await until(async () => (await turn()).input?.kind === 'approval', SECONDS * 1000 + 30_000);
    const { request_id } = (await turn()).input!;
    // The POST has said by now that it waits.
    expect(await (await answered).json()).toMatchObject({ status: 'clarification', turn_id: turnId });
    expect(
      (await post('/microservices/agent/chat/reply/', { turn_id: turnId, request_id, choice: 'once' })).status,
    ).toBe(200);
    // While, or just after, the tool works.
    await until(() => bumps.length === 1, 30_000);
    await sleep(full ? 1000 : 300);
    await runner.kill('SIGKILL');
    await platform.host('workflow-runner');
    await reading;

    const ended = await turn();
    expect(ended.status).toBe('completed');
    expect(bumps).toEqual(['once']);
    expect(read).toBe(ended.answer);
    expect(ended.answer.startsWith(FIRST.join('').trim())).toBe(true);
    expect(ended.answer.trim().endsWith(SECOND.join('').trim())).toBe(true);
    // Each word once: nothing was told twice at the seams.
    expect(ended.answer.split(/\s+/).filter((word) => /^(?:first|second)\d+$/.test(word))).toHaveLength(2 * WORDS);
    expect(connections).toBeGreaterThan(RECONNECTS);
    await until(() => socket.placed.get(turnId) === ended.answer);
    const again = await post('/microservices/agent/chat/', {
      conversation_id: conversationId,
      message: 'Write, count once and write on.',
      client_turn_id: 'chaos',
    });
    expect(await again.json()).toMatchObject({ turn_id: turnId, status: 'completed', answer: ended.answer });
    socket.cut();
  });
});

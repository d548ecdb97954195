import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/common';
import { ChatSocket } from '../support/chat-socket.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { FULL, LONG } from '../support/long.js';
import { PacingModel } from '../support/pacing-model.js';
import type { RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';

/** More of the same with `npm run test:chaos` and `npm run test:long`. */
const full = LONG || FULL;
const GAP_MS = 20;
const WORDS = Array.from({ length: full ? 2500 : 220 }, (_, at) => `word${at} ${at % 9 === 0 ? '🙂é' : ''} `);
const TEXT = WORDS.join('');
const KILLS = full ? 10 : 2;
/** Beside these, in a short run, one that is not killed and need not be a process. */
const APIS = full ? 4 : KILLS;
const TABS = 4;

jest.setTimeout(300_000);

const urlOf = (app: RunningApp) => `http://127.0.0.1:${String(app.ready.port)}`;

describe('sockets of a conversation whose apis are killed one after the other', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  let model: PacingModel;
  const apis: RunningApp[] = [];
  const spared: string[] = [];
  const anyUrl = () => {
    const urls = [...apis.map(urlOf), ...spared];
    return urls[Math.floor(Math.random() * urls.length)]!;
  };

  beforeAll(async () => {
    model = await PacingModel.start(() => ({ words: WORDS }), GAP_MS);
    platform = await hostPlatform(['workflow-runner'], {
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'm',
    });
    apis.push(...(await Promise.all(Array.from({ length: APIS }, () => platform.start('api')))));
    if (!full) spared.push((await platform.host('api')).baseUrl);
    client = await HttpClient.signUp(anyUrl());
  });
  afterAll(async () => {
    await platform.stop();
    await model.stop();
  });

  /** Comes back to whichever api there is, from where it was. @returns the last socket, which has the answer. */
  async function watch(conversationId: string): Promise<{ socket: ChatSocket; connections: number }> {
    let socket = new ChatSocket(anyUrl(), conversationId, { client });
    for (let connections = 1; ; connections += 1) {
      const current = socket;
      let isClosed = false;
      void current.closed.then(() => (isClosed = true));
      await until(() => isClosed || current.answers().length > 0, 200_000);
      if (current.answers().length > 0) return { socket: current, connections };
      await sleep(50 + Math.random() * 150);
      const [turnId] = [...current.placed.keys()];
      const seen = turnId === undefined ? '' : `&turn_id=${turnId}&last_seq=${current.lastSeq(turnId)}`;
      socket = new ChatSocket(anyUrl(), conversationId, { client, query: seen, texts: current.placed });
    }
  }

  /** Asks, and asks again when the api is gone: the same turn. */
  async function ask(conversation_id: string): Promise<{ answer: string; turn_id: string }> {
    for (;;) {
      const response = await fetch(`${anyUrl()}/microservices/agent/chat/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Token ${client.token}` },
        body: JSON.stringify({ conversation_id, message: 'Write at length.', client_turn_id: 'one' }),
      }).catch(() => null);
      if (response?.status === 200) return (await response.json()) as { answer: string; turn_id: string };
      await sleep(100);
    }
  }

  it('show the same bytes, and the answer, to every tab', async () => {
    const conversationId = newId();
    const tabs = Array.from({ length: TABS }, () => watch(conversationId));
    const asked = ask(conversationId);
    const started: Promise<unknown>[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep((WORDS.length * GAP_MS) / (KILLS + 1));
      await apis.shift()!.kill('SIGKILL');
      // It takes its time: the others do without.
      if (full) started.push(platform.start('api').then((app) => apis.push(app)));
    }
    const { answer, turn_id } = await asked;
    await Promise.all(started);
    expect(answer).toBe(TEXT);
    const watched = await Promise.all(tabs);
    for (const { socket } of watched) {
      expect(socket.placed.get(turn_id)).toBe(TEXT);
      expect(socket.plain.get(turn_id)).toBe(TEXT);
      expect(socket.answers()[0]).toMatchObject({ turn_id, message: TEXT, status: 'completed' });
      socket.cut();
    }
    expect(watched.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(TABS);
    const turns = await platform.database.dataSource.query<{ attempt: number }[]>('SELECT attempt FROM chat_turns');
    expect(turns).toEqual([{ attempt: 1 }]);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/common';
import { ChatSocket } from '../support/chat-socket.js';
import type { HttpClient } from '../support/http-client.js';
import { rounds } from '../support/long.js';
import { DONE, type ScriptedPlatform, startScriptedPlatform, type Work } from '../support/scripted-agent.js';
import { until } from '../support/until.js';
import { grant } from '../support/timing.js';

const CHAT = '/microservices/agent/chat/';
const BURSTS = rounds(8, 3);
const TABS = rounds(8, 6);
/** As many as wait in a conversation while one is at work. */
const BURST = 12;

/** Pieces that a client may take for snapshots, slowly enough to be cut off between any two. */
const writesSlowly: Work = async (context) => {
  for (let piece = 0; piece < 6; piece += 1) {
    context.text(piece % 4 === 0 ? `${piece} ` : 'ha');
    await context.flush();
    await sleep(Math.random() * 12);
  }
  return DONE;
};

/** A client whose connection breaks all the time, and which comes back to any replica with what it knows. */
class Wanderer {
  private readonly seqs = new Map<string, number>();
  private readonly texts = new Map<string, string>();
  private readonly ends = new Set<string>();
  private socket: ChatSocket;

  constructor(
    private readonly baseUrls: readonly string[],
    private readonly conversationId: string,
    private readonly client: HttpClient,
  ) {
    this.socket = this.open('');
  }

  get opened(): Promise<void> {
    return this.socket.opened;
  }

  async wander(): Promise<void> {
    await sleep(20 + Math.random() * 120);
    this.socket.cut();
    await this.socket.closed;
    this.take();
    await sleep(Math.random() * 40);
    const place = [...this.seqs].at(-1);
    this.socket = this.open(place ? `&turn_id=${place[0]}&last_seq=${place[1]}` : '');
    await this.socket.opened;
  }

  /** What it makes of a turn; null before its end. */
  textOf(turnId: string): string | null {
    this.take();
    return this.ends.has(turnId) ? (this.texts.get(turnId) ?? '') : null;
  }

  cut(): void {
    this.socket.cut();
  }

  private open(query: string): ChatSocket {
    const at = this.baseUrls[Math.floor(Math.random() * this.baseUrls.length)]!;
    return new ChatSocket(at, this.conversationId, { client: this.client, query, texts: this.texts });
  }

  private take(): void {
    for (const { data } of this.socket.frames) {
      if (data.seq !== undefined) this.seqs.set(data.turn_id, Math.max(data.seq, this.seqs.get(data.turn_id) ?? 0));
      if (data.status === 'completed') this.ends.add(data.turn_id);
    }
    for (const [turn, text] of this.socket.plain) this.texts.set(turn, text);
  }
}

describe('clients of the chat channel that are cut off all the time', () => {
  let platform: ScriptedPlatform;

  beforeAll(async () => {
    platform = await startScriptedPlatform();
  });
  afterAll(() => platform.stop());

  it('lose nothing of turns that follow each other', async () => {
    const { api, other } = platform;
    const client = await api.signUp();
    const conversation_id = newId();
    const message = platform.script(writesSlowly);
    const tabs = Array.from(
      { length: TABS },
      () => new Wanderer([api.baseUrl, other.baseUrl], conversation_id, client),
    );
    await Promise.all(tabs.map((tab) => tab.opened));
    // Let in, not only connected.
    await grant(200);
    const first = await client.post<{ turn_id: string }>(CHAT, { conversation_id, message });
    await until(() => tabs.every((tab) => tab.textOf(first.turn_id) !== null));
    const turns: string[] = [];
    const over = new AbortController();
    const wandering = tabs.map(async (tab) => {
      while (!over.signal.aborted) await tab.wander();
    });
    const answerOf = (turnId: string) =>
      client.get<{ status: string; answer: string }>(`/microservices/chat-turns/${turnId}/`);
    for (let burst = 0; burst < BURSTS; burst += 1) {
      for (let turn = 0; turn < BURST; turn += 1)
        turns.push((await client.post<{ turn_id: string }>(CHAT, { conversation_id, message })).turn_id);
      await until(async () => (await answerOf(turns.at(-1)!)).status === 'completed', 30_000);
    }
    over.abort();
    await Promise.all(wandering);
    await grant(1000);
    for (const turnId of turns) {
      const { answer } = await answerOf(turnId);
      expect(tabs.map((tab) => tab.textOf(turnId))).toEqual(tabs.map(() => answer));
    }
    for (const tab of tabs) tab.cut();
  });
});

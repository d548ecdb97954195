import { WebSocket } from 'ws';
import type { HttpClient } from './http-client.js';

export interface ChatFrame {
  type: string;
  node_id?: string;
  count?: number;
  data: {
    status: string;
    event_type?: string;
    event?: Record<string, unknown> | string | null;
    message?: string;
    turn_id: string;
    seq?: number;
    input?: { request_id: string; kind: string } | null;
  } & Record<string, unknown>;
}

/** A client of the chat channel that puts answers together as docs/contract/chats.md#the-channel, says. */
export class ChatSocket {
  readonly frames: ChatFrame[] = [];
  /** Status of the refused handshake, or the close code. */
  readonly closed: Promise<number>;
  /** By turn: what the pieces made up so far, with nothing but what every client knows. */
  readonly plain = new Map<string, string>();
  /** By turn: the same by the places of the pieces. */
  readonly placed = new Map<string, string>();
  private readonly socket: WebSocket;

  constructor(
    baseUrl: string,
    conversationId: string,
    {
      client,
      query = '',
      texts,
      channel = `/ws/chat/${encodeURIComponent(conversationId)}`,
    }: { client?: HttpClient; query?: string; texts?: ReadonlyMap<string, string>; channel?: string },
  ) {
    for (const [turn, text] of texts ?? []) {
      this.plain.set(turn, text);
      this.placed.set(turn, text);
    }
    const token = client ? `token=${client.token}` : '';
    const path = `${channel}?${token}${query}`;
    this.socket = new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`);
    this.socket.on('message', (data) => this.take(JSON.parse(String(data)) as ChatFrame));
    this.closed = new Promise((resolve) => {
      this.socket.on('unexpected-response', (request, response) => {
        request.destroy();
        resolve(response.statusCode ?? 0);
      });
      this.socket.on('close', resolve);
      this.socket.on('error', () => null);
    });
  }

  get opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState === WebSocket.OPEN) resolve();
      this.socket.once('open', () => resolve());
      this.socket.once('error', reject);
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  say(message: Record<string, unknown>): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Stops, or goes on, taking what arrives. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Cuts the connection. */
  cut(): void {
    this.socket.terminate();
  }

  telemetry(eventType: string, turnId?: string): ChatFrame['data'][] {
    return this.frames
      .map(({ data }) => data)
      .filter((data) => data?.event_type === eventType && (turnId === undefined || data.turn_id === turnId));
  }

  /** Frames that are no telemetry. */
  answers(turnId?: string): ChatFrame['data'][] {
    return this.frames
      .filter(({ type, data }) => type === 'agent_response' && data.status !== 'telemetry')
      .map(({ data }) => data)
      .filter((data) => turnId === undefined || data.turn_id === turnId);
  }

  /** Where it stands in a turn. */
  lastSeq(turnId: string): number {
    return Math.max(0, ...this.frames.map(({ data }) => (data?.turn_id === turnId ? (data.seq ?? 0) : 0)));
  }

  private take(frame: ChatFrame): void {
    this.frames.push(frame);
    if (frame.data?.event_type !== 'stage:partial_answer') return;
    const { turn_id: turnId, event } = frame.data;
    const { text, offset } = event as { text: string; offset: number };
    const plain = this.plain.get(turnId) ?? '';
    this.plain.set(turnId, text.length >= plain.length && text.startsWith(plain) ? text : plain + text);
    this.placed.set(turnId, (this.placed.get(turnId) ?? '').slice(0, offset) + text);
  }
}

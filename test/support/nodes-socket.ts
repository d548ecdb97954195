import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

export interface NodesFrame {
  type: string;
  data: { node_id: string; id: string; status: string; output: unknown }[];
  seq?: number;
  run_version?: number | null;
  status?: string;
  actor?: { id: number; username: string };
  node_id?: string;
  content_revision?: number;
}

/** A client of the nodes WebSocket that remembers what it was sent. */
export class NodesSocket {
  readonly frames: NodesFrame[] = [];
  /** Status of the refused handshake, or the close code. */
  readonly closed: Promise<number>;
  /** The answer to a refused handshake. */
  refusal: { headers: Record<string, unknown>; body: Record<string, unknown> } | undefined;
  private readonly socket: WebSocket;

  constructor(baseUrl: string, path: string, options: { origin?: string; protocols?: string[] } = {}) {
    const { origin, protocols = [] } = options;
    this.socket = new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`, protocols, origin ? { origin } : {});
    this.socket.on('message', (data) => this.frames.push(JSON.parse(String(data)) as NodesFrame));
    this.closed = new Promise((resolve) => {
      this.socket.on('unexpected-response', (request, response) => {
        void this.readRefusal(response).then(() => {
          request.destroy();
          return resolve(response.statusCode ?? 0);
        });
      });
      this.socket.on('close', resolve);
      this.socket.on('error', () => null);
    });
  }

  static of(baseUrl: string, workflowId: string, query: string): NodesSocket {
    return new NodesSocket(baseUrl, `/ws/workflow/${workflowId}/nodes/?${query}`);
  }

  private async readRefusal(response: IncomingMessage): Promise<void> {
    const said = await text(response);
    this.refusal = { headers: response.headers, body: said === '' ? {} : JSON.parse(said) };
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** The highest `seq` so far: what a client resumes with. */
  get lastSeq(): number {
    return Math.max(0, ...this.frames.map(({ seq }) => seq ?? 0));
  }

  send(text: string): void {
    this.socket.send(text);
  }

  say(message: Record<string, unknown>): void {
    this.send(JSON.stringify(message));
  }

  /** Stops, or goes on, taking what arrives. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  ofType(type: string): NodesFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** The statuses of the newest full list, by node id. */
  statuses(): Record<string, string> {
    const list = this.frames.findLast(({ type }) => type === 'workflow_nodes');
    return Object.fromEntries(list?.data.map(({ node_id, status }) => [node_id, status]) ?? []);
  }

  close(): void {
    this.socket.terminate();
  }
}

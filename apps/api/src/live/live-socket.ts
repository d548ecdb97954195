import type { Principal } from '@app/auth';
import { WebSocket } from 'ws';

/** More than this unsent: the client is slow, and only the newest state is worth sending. */
const HIGH_WATER_BYTES = 256 * 1024;
/** A client that has not taken anything for so long is gone. */
const STUCK_MS = 30_000;
const RETRY_MS = 100;

/** One connected client: keep-alive, and sending that does not pile up behind a slow reader. */
export class LiveSocket {
  /** The newest full state that could not be sent yet. */
  private pending: string | null = null;
  private retry: NodeJS.Timeout | null = null;
  private slowSince: number | null = null;
  private isAlive = true;

  constructor(
    private readonly client: WebSocket,
    readonly principal: Principal,
  ) {
    client.on('pong', () => {
      this.isAlive = true;
    });
    client.on('message', (data, isBinary) => {
      this.isAlive = true;
      if (!isBinary && isPing(String(data))) this.send(PONG);
    });
  }

  onClose(handler: () => void): void {
    this.client.once('close', () => {
      if (this.retry) clearTimeout(this.retry);
      handler();
    });
  }

  /** A frame of its own worth. Dropped when the client is slow: REST has what was missed. */
  send(frame: string): void {
    if (this.client.readyState === WebSocket.OPEN && this.client.bufferedAmount < HIGH_WATER_BYTES)
      this.client.send(frame);
  }

  /** A full state, which replaces those before it: a slow client gets the newest one when it has caught up. */
  sendState(frame: string): void {
    this.pending = frame;
    this.flush();
  }

  /** Called at intervals: cuts off a peer that has been silent since the last call, and pings the others. */
  checkAlive(): void {
    if (!this.isAlive) {
      this.client.terminate();
      return;
    }
    this.isAlive = false;
    this.client.ping();
  }

  /** @param reason at most 123 bytes. */
  close(reason: string): void {
    this.client.close(1008, reason);
    // A peer that does not answer the closing handshake is cut off.
    setTimeout(() => this.client.terminate(), 1000).unref();
  }

  private flush(): void {
    if (this.pending === null || this.client.readyState !== WebSocket.OPEN) return;
    if (this.client.bufferedAmount < HIGH_WATER_BYTES) {
      this.slowSince = null;
      this.client.send(this.pending);
      this.pending = null;
      return;
    }
    this.slowSince ??= Date.now();
    if (Date.now() - this.slowSince > STUCK_MS) {
      this.client.terminate();
      return;
    }
    this.retry ??= setTimeout(() => {
      this.retry = null;
      this.flush();
    }, RETRY_MS);
  }
}

const PONG = JSON.stringify({ type: 'pong' });

function isPing(text: string): boolean {
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type === 'ping';
  } catch {
    return false;
  }
}

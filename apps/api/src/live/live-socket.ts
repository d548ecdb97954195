import { randomUUID } from 'node:crypto';
import type { Principal } from '@app/auth';
import { WebSocket } from 'ws';
import type { ClientMessage } from './client-message.js';
import { CLOSE, type CloseReason } from './close-codes.js';

/** More than this unsent: the client is slow, and frames wait here, the newest state alone. */
const HIGH_WATER_BYTES = 256 * 1024;
/** Events that wait for a slow client; with more it is sent away, and gets them when it resumes. */
const MAX_WAITING_EVENTS = 64;
const MAX_WAITING_BYTES = 256 * 1024;
/** A client that has been slow for so long is sent away. */
const MAX_SLOW_MS = 30_000;
/** What it may say in one period of `checkAlive`. */
const MAX_MESSAGES = 200;
const CLOSE_MS = 1000;
const PONG = Buffer.from(JSON.stringify({ type: 'pong' }));
const TEXT = { binary: false };

interface Waiting {
  frame: Buffer;
  isState: boolean;
}

/**
 * One connected client: keep-alive, and sending that holds no memory for a slow reader. Frames are shared by all sockets
 * that they go to.
 */
export class LiveSocket<M extends { type: string } = ClientMessage> {
  readonly id = randomUUID();
  private readonly waiting: Waiting[] = [];
  private waitingBytes = 0;
  private slowSince: number | null = null;
  private isAlive = true;
  private isClosing = false;
  private messages = 0;
  private onMessage: (message: M) => void = () => {};
  private onDrained: () => void = () => {};

  constructor(
    private readonly client: WebSocket,
    readonly principal: Principal,
    private readonly parse: (text: string) => M | null,
  ) {
    client.on('pong', () => {
      this.isAlive = true;
    });
    client.on('message', (data, isBinary) => {
      this.isAlive = true;
      this.messages += 1;
      if (this.messages > MAX_MESSAGES) this.close(CLOSE.tooManyMessages);
      else if (!isBinary) this.receive(String(data));
    });
    // Without a listener a broken connection would end the process; `close` follows.
    client.on('error', () => {});
  }

  get isOpen(): boolean {
    return !this.isClosing && this.client.readyState === WebSocket.OPEN;
  }

  onClose(handler: () => void): void {
    this.client.once('close', handler);
  }

  /** @param handler gets everything but pings. */
  listen(handler: (message: M) => void): void {
    this.onMessage = handler;
  }

  /** A frame of its own worth: it arrives, or the socket is closed. */
  sendEvent(frame: Buffer): void {
    if (this.canWrite()) this.write(frame);
    else this.wait({ frame, isState: false });
  }

  /** A full state, which replaces those before it: a slow client gets the newest one when it has caught up. */
  sendState(frame: Buffer): void {
    if (this.canWrite()) this.write(frame);
    else this.wait({ frame, isState: true });
  }

  /** @returns false when the client is slow: whoever sends keeps the frame until `onDrain`, and may join it with others. */
  offer(frame: Buffer): boolean {
    if (this.canWrite()) {
      this.write(frame);
      return true;
    }
    this.slowSince ??= Date.now();
    return false;
  }

  /** @param handler is called when a slow client takes frames again. */
  onDrain(handler: () => void): void {
    this.onDrained = handler;
  }

  /** Called at intervals: cuts off a peer that has been silent since the last call or slow for long, pings the others. */
  checkAlive(): void {
    this.messages = 0;
    if (this.slowSince !== null && Date.now() - this.slowSince > MAX_SLOW_MS) return this.close(CLOSE.tooSlow);
    if (!this.isAlive) return this.client.terminate();
    this.isAlive = false;
    this.client.ping();
  }

  close({ code, reason }: CloseReason): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.waiting.length = 0;
    this.client.close(code, reason);
    // A peer that does not answer the closing handshake is cut off.
    setTimeout(() => this.client.terminate(), CLOSE_MS).unref();
  }

  private receive(text: string): void {
    const message = this.parse(text);
    if (!message || !this.isOpen) return;
    if (message.type !== 'ping') this.onMessage(message);
    else if (this.canWrite()) this.write(PONG);
  }

  private canWrite(): boolean {
    return this.waiting.length === 0 && this.client.bufferedAmount < HIGH_WATER_BYTES;
  }

  private write(frame: Buffer): void {
    if (this.isOpen) this.client.send(frame, TEXT, this.flush);
  }

  private wait(entry: Waiting): void {
    if (!this.isOpen) return;
    if (entry.isState) {
      const outdated = this.waiting.findIndex(({ isState }) => isState);
      if (outdated !== -1) this.waiting.splice(outdated, 1);
    } else this.waitingBytes += entry.frame.length;
    this.slowSince ??= Date.now();
    this.waiting.push(entry);
    // One of them may be a state.
    if (this.waiting.length > MAX_WAITING_EVENTS + 1 || this.waitingBytes > MAX_WAITING_BYTES)
      this.close(CLOSE.tooSlow);
  }

  private readonly flush = (): void => {
    if (this.slowSince === null) return;
    while (this.waiting.length > 0 && this.client.bufferedAmount < HIGH_WATER_BYTES) {
      const { frame, isState } = this.waiting.shift()!;
      if (!isState) this.waitingBytes -= frame.length;
      this.write(frame);
    }
    if (this.waiting.length > 0 || this.client.bufferedAmount >= HIGH_WATER_BYTES) return;
    this.slowSince = null;
    this.onDrained();
  };
}

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type Implementation,
  McpError,
  type Progress,
  type ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { watchedCalls, type WatchedCall } from './call-watch.js';
import { SessionLostError } from './mcp-failure.js';
import { toMcpFailure, withoutSecrets } from './to-mcp-failure.js';

export type TransportKind = 'streamable_http' | 'sse';

export interface SessionRequest {
  method: string;
  params?: Record<string, unknown>;
}

export interface RequestLimits {
  signal: AbortSignal;
  /** Milliseconds from the request to its answer. */
  timeoutMs: number;
  onProgress?(progress: Progress): void;
}

/** After an answer its HTTP exchange gets this long to end by itself, so that its connection can be used again. */
const GRACE_MS = 1000;
const GOODBYE_MS = 2000;

/** An initialised connection to one server. Many requests may be under way in it at once. */
export class McpSession {
  /** Whether it can take no more requests. */
  isOver = false;
  private readonly underWay = new Set<(error: unknown) => void>();

  /** @param secrets what must not appear in any text about the server */
  constructor(
    private readonly client: Client,
    private readonly transport: Transport,
    readonly kind: TransportKind,
    readonly protocolVersion: string,
    private readonly secrets: readonly string[],
  ) {}

  get capabilities(): ServerCapabilities {
    return this.client.getServerCapabilities() ?? {};
  }

  get serverInfo(): Implementation | undefined {
    return this.client.getServerVersion();
  }

  /** How its tools are to be used: the server's word, without secrets. */
  get instructions(): string | undefined {
    const told = this.client.getInstructions();
    return told === undefined ? undefined : withoutSecrets(told, this.secrets);
  }

  /**
   * When the caller gives up, or the time is over, the server is told that the request is cancelled.
   * @throws McpFailure; SessionLostError when the request surely was not carried out; the signal's reason
   */
  async request<T extends z.ZodType>(request: SessionRequest, schema: T, limits: RequestLimits): Promise<z.output<T>> {
    const { signal, timeoutMs, onProgress } = limits;
    signal.throwIfAborted();
    if (this.isOver) throw new SessionLostError();
    const stop = new AbortController();
    const ended = new AbortController();
    let failure: unknown;
    let isSettled = false;
    const fail = (error: unknown) => {
      // The SDK would tell the server that what has been answered is cancelled.
      if (isSettled) return;
      failure ??= error;
      stop.abort(error);
    };
    const giveUp = () => stop.abort(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    this.underWay.add(fail);
    const call: WatchedCall = { isSent: false, ended: ended.signal, fail };
    try {
      const options = { signal: stop.signal, timeout: timeoutMs, ...(onProgress ? { onprogress: onProgress } : {}) };
      return (await watchedCalls.run(call, () => this.client.request(request, schema, options))) as z.output<T>;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (failure === undefined && this.isForgotten(error)) {
        this.isOver = true;
        throw new SessionLostError({ cause: error });
      }
      throw toMcpFailure(failure ?? error, this.secrets);
    } finally {
      isSettled = true;
      this.underWay.delete(fail);
      signal.removeEventListener('abort', giveUp);
      setTimeout(() => ended.abort(), GRACE_MS).unref();
    }
  }

  /** @returns whether the server answers within the time */
  async isAlive(timeoutMs: number): Promise<boolean> {
    if (this.isOver) return false;
    return this.client.ping({ timeout: timeoutMs }).then(
      () => true,
      () => false,
    );
  }

  /** The connection is gone: what is under way fails, and nothing new is taken. */
  breakOff(error: unknown): void {
    this.isOver = true;
    for (const fail of this.underWay) fail(error);
    void this.client.close();
  }

  /** Says goodbye where the transport has a word for it. Never throws. */
  async close(): Promise<void> {
    this.isOver = true;
    const { transport } = this;
    if (transport instanceof StreamableHTTPClientTransport) {
      const late = new Promise<void>((done) => setTimeout(done, GOODBYE_MS).unref());
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
    }
    await this.client.close().catch(() => undefined);
  }

  /** 404 by the protocol; some servers answer 400 and say why in words. */
  private isForgotten(error: unknown): boolean {
    if (!(error instanceof StreamableHTTPError) || !this.transport.sessionId) return false;
    return error.code === 404 || (error.code === 400 && /session/i.test(error.message));
  }
}

/** A client that has nothing to offer to servers: it answers pings, and refuses whatever else it is asked for. */
export function createClient(onToolsChanged: () => void): Client {
  const client = new Client({ name: 'Atrium', version: '1.0.0' }, { capabilities: {} });
  client.fallbackRequestHandler = async ({ method }) => {
    throw new McpError(
      ErrorCode.MethodNotFound,
      `Atrium does not answer "${method.slice(0, 100)}": servers may neither ask its users nor its models.`,
    );
  };
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method === 'notifications/tools/list_changed') onToolsChanged();
  };
  return client;
}

import { EgressGuard, GuardedFetch } from '@app/integrations';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type AuthorizedServer, McpAuthorization } from './authorization.js';
import { McpFailure } from './mcp-failure.js';
import { createClient, McpSession, type TransportKind } from './mcp-session.js';
import { orAborted } from './or-aborted.js';
import { createServerFetch } from './server-fetch.js';
import { toMcpFailure } from './to-mcp-failure.js';

export interface ConnectOptions {
  signal: AbortSignal;
  /** Tried first; the other one if the server does not speak it. */
  transport: TransportKind | null;
  /** Whether the server may speak unasked, as when its tools change. */
  listens: boolean;
  onToolsChanged?(): void;
}

/** Sockets that one process may hold open to one host: each listening session takes one. */
const MAX_SOCKETS = 1000;

/** Opens sessions with tool servers, by Streamable HTTP or the older transport of server-sent events. */
export class McpConnector {
  readonly guard: EgressGuard;
  private readonly guarded: GuardedFetch;

  constructor(
    private readonly authorization: McpAuthorization,
    { hosts, guard = new EgressGuard({ allowedHosts: hosts }) }: { hosts: readonly string[]; guard?: EgressGuard },
  ) {
    this.guard = guard;
    for (const agent of Object.values(this.guard.agents)) agent.maxSockets = MAX_SOCKETS;
    this.guarded = new GuardedFetch(this.guard);
  }

  /** @throws McpFailure; the signal's reason */
  async open(server: AuthorizedServer, options: ConnectOptions): Promise<McpSession> {
    const first = options.transport ?? 'streamable_http';
    try {
      return await this.openBy(first, server, options);
    } catch (error) {
      if (!isOtherTransport(error)) throw this.explain(error, server, options.signal);
    }
    try {
      return await this.openBy(first === 'sse' ? 'streamable_http' : 'sse', server, options);
    } catch (error) {
      throw this.explain(error, server, options.signal);
    }
  }

  private explain(error: unknown, server: AuthorizedServer, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    return toMcpFailure(error, secretsOf(server));
  }

  private async openBy(kind: TransportKind, server: AuthorizedServer, options: ConnectOptions): Promise<McpSession> {
    const { signal, listens, onToolsChanged = () => {} } = options;
    const opened: { session?: McpSession } = {};
    let failure: unknown;
    const fetch = createServerFetch({
      guarded: this.guarded,
      authorization: this.authorization,
      server,
      standing: kind === 'sse' ? 'needed' : listens ? 'wanted' : 'unwanted',
      onStandingEnd: (error) => {
        // The answers of this transport come by that stream, and another one would be another session.
        if (kind === 'sse')
          opened.session?.breakOff(error ?? new McpFailure('unreachable', 'The connection to the server broke.'));
      },
      onFailure: (error) => (failure = error),
    });
    const url = new URL(server.url);
    const transport =
      kind === 'sse' ? new SSEClientTransport(url, { fetch }) : new StreamableHTTPClientTransport(url, { fetch });
    const version = noteVersion(transport);
    const client = createClient(onToolsChanged);
    try {
      signal.throwIfAborted();
      // Starting the older transport knows no signal.
      await orAborted(client.connect(transport, { signal }), signal);
    } catch (error) {
      await client.close().catch(() => undefined);
      throw failure ?? error;
    }
    opened.session = new McpSession(client, transport, kind, version(), secretsOf(server));
    return opened.session;
  }
}

/** The SDK tells the negotiated version to the transport only. */
function noteVersion(transport: Transport): () => string {
  let version = '';
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (negotiated) => {
    version = negotiated;
    tell?.(negotiated);
  };
  return () => version;
}

/** Statuses by which a server says that it does not know what was sent to it; the specification names 400, 404 and 405. */
function isOtherTransport(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return [400, 404, 405, 406, 415, 501].includes(error.code ?? 0);
  return error instanceof SseError && error.code !== undefined;
}

function secretsOf({ secret }: AuthorizedServer): string[] {
  return secret === null ? [] : [secret];
}

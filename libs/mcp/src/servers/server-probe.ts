import { InvalidRequestError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { AuthorizedServer } from '../client/authorization.js';
import { McpConnector } from '../client/mcp-connector.js';
import { McpFailure } from '../client/mcp-failure.js';
import type { TransportKind } from '../client/mcp-session.js';
import { toMcpFailure } from '../client/to-mcp-failure.js';
import { listTools } from './list-tools.js';
import { type ServerDraft, checkHeaderName, checkSecret, checkUrl } from './server-draft.js';
import { type Listing, ServerOutcomes } from './server-outcomes.js';
import { type ServerRecord, ServerRecords } from './server-records.js';
import { type StoredServer, StoredServers } from './stored-server.js';

/** How a test came out; never an exception for what is wrong with the server. */
export interface Probe {
  ok: boolean;
  /** At most 500 characters, without secrets and resolved addresses; empty when it worked. */
  error: string;
  needsReauth: boolean;
  toolNames: string[];
  /** What of the list is left out, in words; empty when nothing is. */
  toolsNote: string;
  /** Milliseconds from the first connection to the last tool. */
  latencyMs: number;
  /** As it stands after the test; null for a configuration that is not saved. */
  server: ServerRecord | null;
}

type Outcome = { listing: Listing; failure?: undefined } | { failure: McpFailure; listing?: undefined };

const TEST_MS = 20_000;

/** Tries whether a server can be used: connects anew, initialises, lists the tools. */
@Injectable()
export class ServerProbe {
  constructor(
    private readonly servers: StoredServers,
    private readonly records: ServerRecords,
    private readonly connector: McpConnector,
    private readonly outcomes: ServerOutcomes,
  ) {}

  /** Tests a saved server and writes down how it came out. @throws NotFoundError */
  async test(userId: number, id: number): Promise<Probe> {
    const { version } = await this.records.get(userId, id);
    const begun = performance.now();
    const opened = await asOutcome(() => this.servers.get(userId, id));
    const outcome = opened.failure ? opened : await this.try(opened.value, opened.value.slug, opened.value.transport);
    const latencyMs = Math.round(performance.now() - begun);
    const tried = opened.failure ? { id, version } : opened.value;
    if (outcome.failure) await this.outcomes.testFailed(tried, outcome.failure);
    else await this.outcomes.listed(tried, outcome.listing, true);
    return toProbe(outcome, latencyMs, await this.records.get(userId, id));
  }

  /**
   * Tests a configuration that is not saved. With the `id` of a saved server, what is absent is taken from there; its
   * secret is sent to its own address only.
   * @throws NotFoundError, InvalidRequestError (`secret_required` and those of the fields)
   */
  async tryDraft(userId: number, draft: ServerDraft, id: number | null): Promise<Probe> {
    const record = id === null ? null : await this.records.get(userId, id);
    const url = draft.url === undefined && record ? record.url : await checkUrl(draft.url, this.connector.guard);
    const authType = draft.authType ?? record?.authType ?? 'none';
    const authHeaderName = checkHeaderName(draft.authHeaderName ?? record?.authHeaderName, authType);
    const given = draft.secret === undefined ? null : checkSecret(draft.secret);
    const begun = performance.now();
    const isSame = record !== null && url === record.url;
    let secret = given;
    if ((authType === 'bearer' || authType === 'header') && given === null && record?.hasSecret) {
      if (!isSame)
        throw new InvalidRequestError('Enter the secret again: it was stored for another address.', {
          code: 'secret_required',
        });
      const opened = await asOutcome(() => this.servers.get(userId, record.id));
      if (opened.failure) return toProbe(opened, 0, record);
      ({ secret } = opened.value);
    }
    const server = { id: isSame ? record.id : null, userId, url, authType, authHeaderName, secret };
    const outcome = await this.try(server, record?.slug ?? 'server', null);
    return toProbe(outcome, Math.round(performance.now() - begun), record);
  }

  private async try(server: AuthorizedServer, slug: string, transport: TransportKind | null): Promise<Outcome> {
    const signal = AbortSignal.timeout(TEST_MS);
    try {
      const session = await this.connector.open(server, { signal, transport, listens: false });
      try {
        return { listing: await listTools(session, slug, signal) };
      } finally {
        void session.close();
      }
    } catch (error) {
      return { failure: toMcpFailure(error, server.secret === null ? [] : [server.secret]) };
    }
  }
}

/** A secret that cannot be opened is an outcome, too. */
async function asOutcome(
  work: () => Promise<StoredServer>,
): Promise<{ value: StoredServer; failure?: undefined } | { failure: McpFailure; value?: undefined }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return { failure: error };
  }
}

function toProbe({ listing, failure }: Outcome, latencyMs: number, server: ServerRecord | null): Probe {
  return {
    ok: !failure,
    error: failure?.message ?? '',
    needsReauth: failure?.kind === 'sign_in',
    toolNames: listing?.tools.map(({ name }) => name) ?? [],
    toolsNote: listing?.note ?? '',
    latencyMs,
    server,
  };
}

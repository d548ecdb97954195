import { pipeline, Readable } from 'node:stream';
import { EgressError, type GuardedFetch, type GuardedResponse } from '@app/integrations';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type AuthorizedServer, type McpAuthorization, SignInNeededError } from './authorization.js';
import { BoundedEvents } from './bounded-events.js';
import { watchedCalls, type WatchedCall } from './call-watch.js';
import { FaithfulNumbers } from './faithful-numbers.js';
import { McpFailure } from './mcp-failure.js';

export interface ServerFetchOptions {
  guarded: GuardedFetch;
  authorization: McpAuthorization;
  server: AuthorizedServer;
  /** Whether the stream on which the server speaks unasked is opened. The older transport needs it. */
  standing: 'needed' | 'wanted' | 'unwanted';
  /** The standing stream ended; null: it was ended properly. */
  onStandingEnd(error: Error | null): void;
  /** What a request failed with: the SDK keeps only its text where it uses an event source. */
  onFailure(error: unknown): void;
}

/** Of one answer, or of one event of a standing stream (docs/contract/mcp.md#tool-servers). */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_STANDING_BYTES = 256 * 1024 * 1024;
const LONGEST_MS = 15 * 60_000;
const LONGEST_STANDING_MS = 60 * 60_000;
/** A server that closes its stream at once would be asked for ever. */
const MAX_STANDING = 10;
/** So long what has arrived may still be on its way through the SDK's own streams. */
const SDK_MS = 50;
/** So long a standing stream that has ended may take to be opened again. */
const REOPENED_MS = 5_000;
const KEPT_HEADERS = ['content-type', 'mcp-session-id', 'location', 'www-authenticate', 'retry-after'];

/**
 * `fetch` as the MCP SDK wants it, over the guarded way out: never redirected by itself, credentials to the server's
 * own origin only, one renewal when they are refused, answers bounded.
 */
export function createServerFetch(options: ServerFetchOptions): FetchLike {
  const { guarded, authorization, server, standing } = options;
  const home = new URL(server.url);
  const standings = new StandingStreams();
  let opened = 0;

  const onStandingEnd = (error: Error | null) => {
    standings.leave();
    options.onStandingEnd(error);
  };

  const send = async (url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> => {
    const isGet = (init.method ?? 'GET').toUpperCase() === 'GET';
    const call = isGet ? undefined : claimCall();
    const lasting = call ? AbortSignal.any([signal, call.ended]) : signal;
    const request = async (proof: Readonly<Record<string, string>>) =>
      guarded.request(url, {
        method: init.method ?? 'GET',
        headers: { ...Object.fromEntries(new Headers(init.headers).entries()), ...proof },
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
        signal: lasting,
        timeoutMs: isGet ? LONGEST_STANDING_MS : LONGEST_MS,
        maxBytes: isGet ? MAX_STANDING_BYTES : MAX_BYTES,
        maxRedirects: 0,
      });
    let proof = await prove(() => authorization.headersFor(server, { signal }));
    let answer = await request(proof);
    const status = refusedStatus(answer);
    if (status) {
      answer.body.destroy();
      const challenge = headerOf(answer, 'www-authenticate');
      const refusal = { status, challenge, usedHeaders: proof };
      if (!(await prove(() => authorization.renew(server, refusal, { signal })))) throw refused(server, status);
      proof = await prove(() => authorization.headersFor(server, { signal }));
      answer = await request(proof);
      const again = refusedStatus(answer);
      if (again) {
        answer.body.destroy();
        throw refused(server, again);
      }
    }
    if (answer.status === 202) {
      if (call) standings.waitFor(call);
      // Nobody watches over the first request of all.
      else if (standing !== 'needed' && standings.areNone && isRequest(init.body)) {
        answer.body.destroy();
        throw unanswered();
      }
    }
    return toResponse(answer, { call, isStanding: isGet, onStandingEnd });
  };

  return async (address, init = {}) => {
    try {
      const url = new URL(address);
      if (!isHome(url, home)) throw new McpFailure('protocol', 'The server names an address of another host.');
      if ((init.method ?? 'GET').toUpperCase() === 'GET') {
        // To the SDK this says that the server has no such stream.
        if (standing === 'unwanted' || opened >= MAX_STANDING) return new Response(null, { status: 405 });
        opened += 1;
        return await standings.open(send(url, init, init.signal ?? new AbortController().signal));
      }
      return await send(url, init, init.signal ?? new AbortController().signal);
    } catch (error) {
      options.onFailure(error);
      throw error;
    }
  };
}

/**
 * A request is owed an answer in its own exchange; 202 is for notifications. Servers that answer it so mean the stream on
 * which they speak unasked, and where there is none, nothing can come any more.
 */
class StandingStreams {
  /** Those that are open, or may be in a moment. */
  private count = 0;
  /** A stream that has ended may be opened again. */
  private hasStood = false;
  private readonly waiting = new Set<WatchedCall>();

  waitFor(call: WatchedCall): void {
    this.waiting.add(call);
    call.ended.addEventListener('abort', () => this.waiting.delete(call), { once: true });
    this.look();
  }

  /** No stream is open, and none was. */
  get areNone(): boolean {
    return this.count === 0 && !this.hasStood;
  }

  /** One that is open ends with `leave`. */
  async open(opening: Promise<Response>): Promise<Response> {
    this.count += 1;
    try {
      const response = await opening;
      if (isEventStream(response.status, response.headers)) this.hasStood = true;
      else this.leave();
      return response;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  leave(): void {
    this.count -= 1;
    this.look();
  }

  private look(): void {
    if (this.count > 0 || this.waiting.size === 0) return;
    const { waiting } = this;
    const timer = setTimeout(
      () => {
        if (this.count > 0) return;
        for (const call of waiting) call.fail(unanswered());
        waiting.clear();
      },
      this.hasStood ? REOPENED_MS : SDK_MS,
    );
    timer.unref();
  }
}

/** Whether an answer is owed: a notification has no id, an answer to the server no method. */
function isRequest(body: unknown): boolean {
  if (typeof body !== 'string') return false;
  const { id, method } = JSON.parse(body) as { id?: unknown; method?: unknown };
  return id !== undefined && method !== undefined;
}

/** What keeps us from proving a right is not the server's fault, and must not look like it. */
async function prove<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isKnown = [SignInNeededError, McpFailure, EgressError, DOMException].some((type) => error instanceof type);
    if (isKnown) throw error;
    throw new McpFailure('sign_in_failed', 'The sign-in to the server cannot be renewed at the moment.', {
      cause: error,
    });
  }
}

/** The server itself, or its https form. */
function isHome(url: URL, home: URL): boolean {
  if (url.origin === home.origin) return true;
  return url.hostname === home.hostname && url.protocol === 'https:' && url.port === '' && home.port === '';
}

function unanswered(): McpFailure {
  return new McpFailure('protocol', 'The server takes the request and does not answer it (status 202, MCP).');
}

function claimCall(): WatchedCall | undefined {
  const call = watchedCalls.getStore();
  if (!call || call.isSent) return undefined;
  call.isSent = true;
  return call;
}

function refusedStatus({ status }: GuardedResponse): 401 | 403 | null {
  return status === 401 || status === 403 ? status : null;
}

function refused({ authType }: AuthorizedServer, status: 401 | 403): McpFailure {
  if (authType === 'oauth' && status === 401) return new McpFailure('sign_in', 'The server asks you to sign in again.');
  if (authType === 'none' && status === 401)
    return new McpFailure('refused', 'The server wants a token, a key or a sign-in (status 401).');
  return new McpFailure('refused', `The server refuses what proves your right (status ${status}).`);
}

function headerOf({ headers }: GuardedResponse, name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function isEventStream(status: number, headers: Headers): boolean {
  return status === 200 && (headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream');
}

function toResponse(
  answer: GuardedResponse,
  watch: { call: WatchedCall | undefined; isStanding: boolean; onStandingEnd(error: Error | null): void },
): Response {
  const { status, body } = answer;
  if (status < 200 || status > 599) {
    body.destroy();
    throw new EgressError('protocol', 'The server answers with an unknown status.');
  }
  const headers = new Headers();
  for (const name of KEPT_HEADERS) {
    const value = headerOf(answer, name);
    if (value !== null && /^[\x20-\x7e]{0,4000}$/.test(value)) headers.set(name, value);
  }
  if ([204, 205, 304].includes(status)) {
    body.destroy();
    return new Response(null, { status, headers });
  }
  const isEvents = (headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream');
  const read = isEventStream(status, headers) ? watchedEvents(body, watch) : body;
  // A failure, or a reader who has gone, ends all of them; whoever reads hears of it.
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '');
  // JSON is the whole answer: nothing else is to come where it answers something that was not asked.
  const isWhole = isJson && status === 200;
  const over = (error: unknown) => {
    const unasked = isWhole ? new McpFailure('protocol', 'The server does not answer what it is asked (MCP).') : null;
    const failure = error ?? unasked;
    if (failure && watch.call) setTimeout(watch.call.fail, SDK_MS, failure);
  };
  const content = isEvents || isJson ? pipeline(read, new FaithfulNumbers(isEvents), over) : read;
  return new Response(Readable.toWeb(content) as ReadableStream<Uint8Array>, { status, headers });
}

/** The events; whoever waits for an answer among them learns when there will be none. */
function watchedEvents(
  body: Readable,
  { call, isStanding, onStandingEnd }: Parameters<typeof toResponse>[1],
): Readable {
  let isResumable = false;
  const events = new BoundedEvents(MAX_BYTES, () => (isResumable = true));
  let failure: Error | null = null;
  body.once('error', (error) => {
    failure = error;
    events.destroy(error);
  });
  // Whoever reads them may have gone; without a listener an error ends the process.
  events.once('error', (error) => (failure ??= error));
  events.once('close', () => {
    body.destroy();
    if (isStanding) onStandingEnd(failure);
    else if (call && !(isResumable && failure === null))
      setTimeout(
        () => call.fail(failure ?? new McpFailure('unreachable', 'The server ended its answer too early.')),
        SDK_MS,
      );
  });
  return body.pipe(events);
}

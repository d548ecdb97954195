import { isUtf8 } from 'node:buffer';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { parseKeepingNumbers } from '@app/common';
import { withSpan } from '@app/observability';
import { EgressError } from './egress-error.js';
import type { EgressGuard } from './egress-guard.js';
import { cappedBody } from './capped-body.js';
import { type RequestBody, sendBody } from './request-body.js';
import { checkHeaders, checkMethod } from './request-head.js';
import { unpacked } from './unpacked.js';
import { withTrace } from './with-trace.js';

export interface GuardedRequest {
  method?: string;
  /**
   * Sent to the first origin only; a redirect elsewhere keeps `accept` and `range`. Those that frame the message or
   * name the host are refused.
   */
  headers?: Readonly<Record<string, string>>;
  body?: RequestBody;
  signal?: AbortSignal;
  /** For everything, the last byte of the body included. 30 s unless told. */
  timeoutMs?: number;
  /** Of the body. 50 MB unless told. */
  maxBytes?: number;
  /** 3 unless told. With 0 a redirect is an answer like any other. */
  maxRedirects?: number;
  /** A redirect to another host, or away from TLS, is an answer like any other. */
  staysAtHost?: boolean;
}

export interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Who answered, after redirects. */
  url: URL;
  /** Read it to its end or destroy it. Breaks with an EgressError when it is too large or too slow. */
  body: Readable;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

interface Hop {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: RequestBody | undefined;
}

const CONNECT_MS = 5000;
const TOTAL_MS = 30_000;
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
const KEPT_ACROSS_ORIGINS = ['accept', 'range'];

/** HTTP to addresses that users name (docs/contract/reliability.md#addresses-of-users). */
export class GuardedFetch {
  constructor(private readonly guard: EgressGuard) {}

  /**
   * Follows redirects, each checked like the first address. Any status is an answer.
   * @throws EgressError, or the reason of the caller's signal
   */
  request(address: string | URL, options: GuardedRequest = {}): Promise<GuardedResponse> {
    const { method = 'GET' } = options;
    // The host alone: what a path names is its owner's business.
    const host = URL.parse(String(address))?.hostname ?? '';
    const attributes = { 'http.request.method': method, 'server.address': host };
    return withSpan(`${method} ${host}`, { kind: 'client', attributes }, () => this.ask(address, options));
  }

  private async ask(address: string | URL, options: GuardedRequest): Promise<GuardedResponse> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? TOTAL_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    let hop: Hop = {
      url: this.guard.checkUrl(address),
      method: checkMethod(options.method ?? 'GET'),
      headers: withTrace(checkHeaders(options.headers ?? {})),
      body: options.body,
    };
    const { maxRedirects = MAX_REDIRECTS } = options;
    try {
      for (let redirects = 0; ; redirects += 1) {
        const message = await this.send(hop, signal);
        const isRedirect = maxRedirects > 0 && REDIRECTS.includes(message.statusCode ?? 0);
        const target = isRedirect ? asWritten(message.headers.location) : undefined;
        const isLeaving = options.staysAtHost === true && target !== undefined && leaves(hop.url, target);
        if (target === undefined || isLeaving) return toResponse(message, hop, options, signal);
        message.destroy();
        if (redirects >= maxRedirects) throw new EgressError('redirect', 'The host redirects too often.');
        hop = this.follow(hop, target, message.statusCode ?? 0);
      }
    } catch (error) {
      throw toEgressError(error, options.signal);
    }
  }

  private follow(from: Hop, location: string, status: number): Hop {
    const target = URL.parse(location, from.url.href);
    if (!target) throw new EgressError('redirect', 'The host redirects to something that is no address.');
    const url = this.guard.checkUrl(target);
    const isElsewhere = url.origin !== from.url.origin;
    const becomesGet = status === 303 || (status < 303 && from.method === 'POST');
    if (from.body !== undefined && isElsewhere && !becomesGet)
      throw new EgressError('redirect', 'The host redirects what was sent to it elsewhere.');
    const headers = Object.fromEntries(
      Object.entries(from.headers).filter(
        ([name]) => (!isElsewhere || KEPT_ACROSS_ORIGINS.includes(name)) && (!becomesGet || name !== 'content-type'),
      ),
    );
    return { url, headers, method: becomesGet ? 'GET' : from.method, body: becomesGet ? undefined : from.body };
  }

  private send(hop: Hop, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, method, headers, body } = hop;
    const isTls = url.protocol === 'https:';
    return new Promise((done, fail) => {
      const request = (isTls ? httpsRequest : httpRequest)(url, {
        method,
        agent: isTls ? this.guard.agents.https : this.guard.agents.http,
        // There is nothing to unpack where hosts do as they are asked; not all of them do.
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Atrium', ...headers },
        signal,
      });
      request.once('socket', (socket) => {
        if (!socket.connecting) return;
        const slow = setTimeout(
          () => request.destroy(new EgressError('timeout', 'The host did not answer in time.')),
          CONNECT_MS,
        );
        socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(slow));
        socket.once('close', () => clearTimeout(slow));
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The host had closed the kept connection before it could hear of this request.
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET';
        if (isStale) done(this.send(hop, signal));
        else fail(error);
      });
      request.once('response', done);
      // A host that switches protocols closes the request without an answer, and without an error.
      request.once('close', () => fail(new EgressError('protocol', 'The host does not answer in HTTP.')));
      try {
        sendBody(request, body);
      } catch (error) {
        request.destroy(error as Error);
      }
    });
  }
}

/** Addresses are written in UTF-8 where they are not escaped, and Node reads headers byte by byte. */
function asWritten(location: string | undefined): string | undefined {
  const bytes = Buffer.from(location ?? '', 'latin1');
  return location !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : location;
}

/** Only the step from http to https of the same host is none. */
function leaves(from: URL, location: string): boolean {
  const to = URL.parse(location, from.href);
  if (to?.origin === from.origin) return false;
  const isUpgrade = from.protocol === 'http:' && to?.protocol === 'https:' && from.port === '' && to.port === '';
  return !isUpgrade || to.hostname !== from.hostname;
}

function toResponse(
  message: IncomingMessage,
  { url, method }: Hop,
  options: GuardedRequest,
  signal: AbortSignal,
): GuardedResponse {
  const { maxBytes = MAX_BYTES } = options;
  const status = message.statusCode ?? 0;
  // What has no body tells of one that another request would get.
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  const coding = hasBody ? (message.headers['content-encoding'] ?? '').trim().toLowerCase() : '';
  if (hasBody && Number(message.headers['content-length'] ?? 0) > maxBytes) {
    message.destroy();
    throw new EgressError('too_large', 'The answer of the host is too large.');
  }
  const source = unpacked(message, coding);
  const body = cappedBody(source, maxBytes, (error) => toEgressError(error, options.signal), signal);
  const text = async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  };
  const json = async () => {
    const raw = await text();
    try {
      return parseKeepingNumbers(raw);
    } catch (error) {
      throw new EgressError('protocol', 'The host answered with something that is no JSON.', error);
    }
  };
  return { status, headers: source === message ? message.headers : ofUnpacked(message.headers), url, body, text, json };
}

/** Without what is true of the packed body alone. */
function ofUnpacked(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...headers, 'content-encoding': undefined, 'content-length': undefined };
}

function toEgressError(error: unknown, callers: AbortSignal | undefined): unknown {
  if (callers?.aborted) return callers.reason;
  if (error instanceof EgressError) return error;
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError')
    return new EgressError('timeout', 'The host did not answer in time.', error);
  if (code !== undefined && /^(?:Z|ERR_BROTLI|ERR__ERROR_FORMAT)_/.test(code))
    return new EgressError('protocol', 'The host answers with something that cannot be unpacked.', error);
  const certificate = certificateFailure(code);
  if (certificate !== null) return new EgressError('certificate', certificate, error);
  return new EgressError('unreachable', 'The host cannot be reached.', error);
}

/** What is wrong with the host's certificate, for people; null when something else is. */
function certificateFailure(code: string | undefined): string | null {
  if (code === undefined || !/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return null;
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of the host has expired.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'The certificate of the host is made out to another name.';
  if (/SELF_SIGNED|UNABLE_TO/.test(code)) return 'The certificate of the host is not signed by a known authority.';
  return 'The certificate of the host cannot be trusted.';
}

import type { Readable } from 'node:stream';
import { EgressError, EgressGuard, GuardedFetch } from '@app/integrations';

const CALL_MS = 10_000;
const MAX_BYTES = 512 * 1024;
const BODILESS = [204, 205, 304];

/** An answer, whole; of one in events what came with the first of them that says something. */
export interface OAuthAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Followed for metadata alone, never with what is secret. */
  maxRedirects?: number;
}

/** HTTP to tool servers and their authorization servers: guarded, bounded, ten seconds. */
export class OAuthHttp {
  private readonly fetch: GuardedFetch;

  constructor(private readonly guard: EgressGuard) {
    this.fetch = new GuardedFetch(guard);
  }

  /** @throws EgressError for an address that may not be called */
  checkUrl(address: string): URL {
    return this.guard.checkUrl(address);
  }

  isAllowed(address: unknown): address is string {
    if (typeof address !== 'string' || address.length > 2048) return false;
    try {
      this.guard.checkUrl(address);
      return true;
    } catch {
      return false;
    }
  }

  /** @throws EgressError, or the reason of the signal */
  async call(address: string, { maxRedirects = 0, ...call }: Call): Promise<OAuthAnswer> {
    const answer = await this.fetch.request(address, {
      ...call,
      timeoutMs: CALL_MS,
      maxBytes: MAX_BYTES,
      maxRedirects,
    });
    const { status, headers, body } = answer;
    const isEvents = (headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream');
    return { status, headers, text: isEvents ? await firstEvent(body) : await answer.text() };
  }

  /**
   * A JSON object from a metadata address.
   * @returns null for any other answer than such an object
   * @throws EgressError when there is no answer
   */
  async getObject(address: string, signal: AbortSignal): Promise<Record<string, unknown> | null> {
    const accept = { accept: 'application/json' };
    const { status, text } = await this.call(address, { headers: accept, signal, maxRedirects: 3 });
    return status === 200 ? parseObject(text) : null;
  }
}

/** Some servers keep the stream open on which they have answered. Leaving the loop ends it. */
async function firstEvent(body: Readable): Promise<string> {
  const decoder = new TextDecoder();
  const lines: string[] = [];
  let rest: string[] = [];
  let hasData = false;
  for await (const chunk of body) {
    const text = decoder.decode(chunk as Buffer, { stream: true });
    rest.push(text);
    if (!text.includes('\n')) continue;
    const whole = rest.join('').split('\n');
    rest = [whole.pop() ?? ''];
    for (const line of whole) {
      lines.push(line);
      hasData ||= line.startsWith('data:');
      if (hasData && line.trim() === '') return lines.join('\n');
    }
  }
  return [...lines, rest.join('')].join('\n');
}

export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** For a library that takes answers of the platform's `fetch`; only status and JSON body cross. */
export function toJsonResponse(status: number, body: string): Response {
  if (status < 200 || status > 599)
    throw new EgressError('protocol', 'The sign-in provider answers what no provider may.');
  return new Response(BODILESS.includes(status) ? null : body, {
    status,
    headers: { 'content-type': 'application/json' },
  });
}

import { BadGatewayError, DomainError, GatewayTimeoutError, NotFoundError } from '@app/common';
import { withTrace } from '../guarded-fetch/with-trace.js';
import { type ExtractorBytes, type ExtractorCall, ExtractorService } from './extractor-service.port.js';
import { toRefusal } from './service-refusal.js';

const MB = 1024 * 1024;
/** A table of 100,000 rows. */
const MAX_JSON_BYTES = 96 * MB;
const MAX_STREAM_BYTES = 256 * MB;
const MAX_ERROR_BYTES = 64 * 1024;
/** Of a piece of the path: names of columns and sources. */
const LONGEST_PIECE = 1024;
/** Where its answers and their comments come further apart, it is gone. */
const SILENCE_MS = 120_000;
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** Every workbook is a ZIP archive. */
const ZIP = [0x50, 0x4b];

export interface HttpExtractorOptions {
  /** To which `/microservices/data-extractor/…` is added. */
  baseUrl: string;
  /** Sent as a bearer token. */
  apiKey?: string;
  timeoutSeconds: number;
  /** Of a stream, without a sign of life. */
  silenceMs?: number;
}

/** Hands calls on over HTTP. Redirects are not followed: they would take key and contents elsewhere. */
export class HttpExtractorService extends ExtractorService {
  readonly enabled = true;

  constructor(private readonly options: HttpExtractorOptions) {
    super();
  }

  async json(call: ExtractorCall): Promise<unknown> {
    return this.within(call, async (signal) => {
      const response = await this.ask(call, 'application/json', signal);
      await requireType(response, 'application/json');
      return JSON.parse(await readBounded(response, MAX_JSON_BYTES)) as unknown;
    });
  }

  async workbook(call: ExtractorCall): Promise<ExtractorBytes> {
    const ending = new AbortController();
    const signal = AbortSignal.any([call.signal, ending.signal]);
    const response = await this.begin({ ...call, signal }, WORKBOOK);
    const pieces = this.pieces(response, call, ending, MAX_STREAM_BYTES);
    const first = await pieces.next();
    if (first.done || ZIP.some((byte, at) => first.value[at] !== byte)) {
      ending.abort();
      throw failed(new Error('The extractor answered with something else than a workbook.'));
    }
    return (async function* () {
      yield first.value;
      yield* pieces;
    })();
  }

  async stream(call: ExtractorCall, lastEventId?: string): Promise<ExtractorBytes> {
    const ending = new AbortController();
    const signal = AbortSignal.any([call.signal, ending.signal]);
    const response = await this.begin({ ...call, signal }, 'text/event-stream', lastEventId);
    return this.pieces(response, call, ending, MAX_STREAM_BYTES);
  }

  /** The headers have to come in time; what follows has all the time that it says something. */
  private begin(call: ExtractorCall, accept: string, lastEventId?: string): Promise<Response> {
    return this.within(call, async (signal, arrived) => {
      const response = await this.ask(call, accept, signal, lastEventId);
      await requireType(response, accept);
      arrived();
      return response;
    });
  }

  private async ask(
    { method, path, query = {}, body, caller }: ExtractorCall,
    accept: string,
    signal: AbortSignal,
    lastEventId?: string,
  ): Promise<Response> {
    const { baseUrl, apiKey } = this.options;
    const url = new URL(`${baseUrl.replace(/\/$/, '')}/microservices/data-extractor/${encoded(path)}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const response = await fetch(url, {
      method,
      headers: withTrace({
        accept,
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        // Headers hold ASCII alone.
        'x-atrium-user-id': String(caller.userId),
        'x-atrium-email': encodeURIComponent(caller.email),
        'x-atrium-organization': encodeURIComponent(caller.organization),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
    if (response.ok) return response;
    const text = response.body ? await readBounded(response, MAX_ERROR_BYTES).catch(() => '') : '';
    throw toRefusal(response.status, text);
  }

  /** @param work is given what ends it, and what says that the answer has begun */
  private async within<T>(
    { signal }: ExtractorCall,
    work: (signal: AbortSignal, arrived: () => void) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.options.timeoutSeconds * 1000);
    try {
      return await work(AbortSignal.any([signal, late.signal]), () => clearTimeout(timer));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.signal.aborted) throw tooSlow(error);
      throw error instanceof DomainError ? error : failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private async *pieces(
    response: Response,
    { signal }: ExtractorCall,
    ending: AbortController,
    maxBytes: number,
  ): ExtractorBytes {
    const { silenceMs = SILENCE_MS } = this.options;
    let isSilent = false;
    const listen = () =>
      setTimeout(() => {
        isSilent = true;
        ending.abort();
      }, silenceMs);
    let silence = listen();
    let bytes = 0;
    try {
      for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        // Whoever reads slowly is not the service's silence.
        clearTimeout(silence);
        bytes += piece.length;
        if (bytes > maxBytes) throw new Error('The answer of the extractor is too long.');
        yield piece;
        silence = listen();
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isSilent ? tooSlow(error) : failed(error);
    } finally {
      clearTimeout(silence);
      ending.abort();
    }
  }
}

/** @throws NotFoundError for a piece that would lead elsewhere */
function encoded(path: readonly string[]): string {
  return path
    .map((piece) => {
      const isName = piece !== '' && piece !== '.' && piece !== '..' && piece.length <= LONGEST_PIECE;
      if (!isName || !piece.isWellFormed()) throw new NotFoundError();
      return encodeURIComponent(piece);
    })
    .join('/');
}

async function requireType(response: Response, wanted: string): Promise<void> {
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === wanted) return;
  await response.body?.cancel();
  throw new Error(`The extractor answered with ${type === '' ? 'no type' : type.slice(0, 100)} instead of ${wanted}.`);
}

/** Counted after it is unpacked. */
async function readBounded({ body }: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error('The answer of the extractor is too long.');
    pieces.push(piece);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
}

function failed(cause: unknown): BadGatewayError {
  return new BadGatewayError('The extractor failed.', { code: 'extractor_error', cause });
}

function tooSlow(cause: unknown): GatewayTimeoutError {
  return new GatewayTimeoutError('The extractor did not answer in time.', { code: 'extractor_timeout', cause });
}

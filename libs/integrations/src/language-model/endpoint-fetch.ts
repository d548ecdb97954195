import { EndpointFault } from './endpoint-fault.js';

const MB = 1024 * 1024;
/** All of a streamed answer, with what the protocol wraps around each token. */
const MAX_BYTES = 64 * MB;
const MAX_ERROR_BYTES = MB;
/** One event of a stream, which is held until it is whole. */
const MAX_LINE_BYTES = 4 * MB;
/** Some endpoints leave the connection open after they have said that they are done. */
const PATIENCE_AFTER_DONE_MS = 500;
const DONE = Buffer.from('[DONE]');
const NEWLINE = 10;

/** `fetch` for model endpoints: bounded bodies, no redirects to elsewhere with the key, and only streams where one was asked for. */
export async function endpointFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new EndpointFault('The endpoint answered with a redirect.', { status: response.status });
  }
  if (!response.body) return response;
  const isStream = response.ok && asksForStream(init);
  if (isStream) await requireEvents(response);
  const { status, statusText, headers } = response;
  return new Response(bounded(response.body, response.ok ? MAX_BYTES : MAX_ERROR_BYTES, isStream), {
    status,
    statusText,
    headers,
  });
}

function asksForStream(init: RequestInit | undefined): boolean {
  return typeof init?.body === 'string' && /"stream":true/.test(init.body.slice(-200));
}

/** A page of a proxy is no answer, however long one waits for an event in it. */
async function requireEvents({ headers, body }: Response): Promise<void> {
  const type = headers.get('content-type') ?? '';
  if (!/^(?:text\/html|application\/json|application\/xml|text\/xml|image\/)/i.test(type)) return;
  await body?.cancel();
  throw new EndpointFault(`The endpoint answered with ${/^[\w/+-]{1,60}/.exec(type)?.[0]}, not with a stream.`, {
    isPassing: true,
  });
}

function bounded(body: ReadableStream<Uint8Array>, maxBytes: number, isStream: boolean): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const limits = new BodyLimits(maxBytes, isStream);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = limits.isDone ? await lastRead(reader) : await reader.read();
      if (done) return controller.close();
      const excess = limits.excessOf(value);
      if (excess === null) return controller.enqueue(value);
      await reader.cancel();
      controller.error(new EndpointFault(`The ${excess} of the endpoint is too large.`, { isOfEndpoint: false }));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function lastRead(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const read = reader.read();
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<{ done: true; value: undefined }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), PATIENCE_AFTER_DONE_MS);
  });
  const first = await Promise.race([read, patience]);
  clearTimeout(timer);
  if (first.done) await reader.cancel();
  return first;
}

class BodyLimits {
  isDone = false;
  private bytes = 0;
  private lineBytes = 0;
  /** A mark may come in two pieces. */
  private tail = Buffer.alloc(0);

  constructor(
    private readonly maxBytes: number,
    private readonly isStream: boolean,
  ) {}

  /** What is too large; null: nothing is. */
  excessOf(chunk: Uint8Array): string | null {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) return 'answer';
    if (!this.isStream) return null;
    const lastLine = chunk.lastIndexOf(NEWLINE);
    this.lineBytes = lastLine === -1 ? this.lineBytes + chunk.length : chunk.length - lastLine - 1;
    const seen = Buffer.concat([this.tail, chunk]);
    this.isDone ||= saysDone(seen);
    this.tail = seen.subarray(-32);
    return this.lineBytes > MAX_LINE_BYTES ? 'event' : null;
  }
}

/** Only as a line of its own: an answer may speak of it. */
function saysDone(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(DONE); at !== -1; at = bytes.indexOf(DONE, at + 1))
    if (/(?:^|\n)data: ?$/.test(bytes.toString('latin1', Math.max(0, at - 8), at))) return true;
  return false;
}

import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createParser } from 'eventsource-parser';
import { EgressError } from '../guarded-fetch/egress-error.js';
import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { checkHeaders } from '../guarded-fetch/request-head.js';
import { withTrace } from '../guarded-fetch/with-trace.js';
import { EndpointFault, brokenOff, toHttpFault } from './endpoint-fault.js';

const MB = 1024 * 1024;
/** All of a streamed answer, with what the protocol wraps around each token. */
const MAX_CHARACTERS = 64 * MB;
const MAX_ERROR_CHARACTERS = MB;
/** One event of it, which is held until it is whole. */
const MAX_EVENT_CHARACTERS = 4 * MB;
/** Some endpoints leave the connection open after they have said that they are done. */
const WAIT_AFTER_DONE_MS = 500;
/** For an address that a person chose, which may be one where nobody answers. */
const CONNECT_MS = 5000;

export interface StreamCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  /** Where a person chose the address. */
  guard?: EgressGuard;
}

/**
 * Asks an endpoint for an answer in server-sent events, and hangs up when the reader stops. Over `node:http`: the web
 * streams of `fetch` took two fifths of what a token costs (test/bench/README.md).
 * @returns once the answer begins, the data of each event, up to `[DONE]` or its end; has to be read. Of a server that
 *   does not stream, all of its answer as one
 * @throws EndpointFault, the network's error where no answer came, or the reason of the signal
 */
export async function streamEvents(call: StreamCall): Promise<AsyncGenerator<string, void>> {
  const { signal } = call;
  signal.throwIfAborted();
  const request = send(call);
  const hangUp = () => void request.destroy(signal.reason as Error);
  signal.addEventListener('abort', hangUp);
  try {
    const answer = await answerOf(request);
    const isStream = await requireAnswer(answer);
    const whenOver = () => signal.removeEventListener('abort', hangUp);
    return isStream ? readEvents(request, answer, whenOver) : readWhole(request, answer, whenOver);
  } catch (error) {
    signal.removeEventListener('abort', hangUp);
    request.destroy();
    throw error;
  }
}

async function* readEvents(
  request: ClientRequest,
  answer: IncomingMessage,
  whenOver: () => void,
): AsyncGenerator<string, void> {
  let isDone = false;
  try {
    for await (const data of eventsOf(answer)) {
      isDone = data === '[DONE]';
      if (isDone) return leave(answer);
      yield data;
    }
  } finally {
    whenOver();
    if (!isDone) request.destroy();
  }
}

async function* readWhole(
  request: ClientRequest,
  answer: IncomingMessage,
  whenOver: () => void,
): AsyncGenerator<string, void> {
  try {
    let text = '';
    for await (const piece of piecesOf(answer)) {
      text += piece;
      if (text.length > MAX_EVENT_CHARACTERS) throw tooLarge('answer');
    }
    yield text;
  } finally {
    whenOver();
    if (!answer.complete) request.destroy();
  }
}

function send({ url, headers, body, guard }: StreamCall): ClientRequest {
  const text = JSON.stringify(body);
  const isTls = url.startsWith('https:');
  const request = (isTls ? httpsRequest : httpRequest)(guard ? guard.checkUrl(url) : url, {
    method: 'POST',
    ...(guard && { agent: guard.agents[isTls ? 'https' : 'http'] }),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      ...withTrace(guard ? checkHeaders(headers) : headers),
    },
  });
  if (guard) hurry(request, isTls);
  return request.end(text);
}

function hurry(request: ClientRequest, isTls: boolean): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = new EgressError('timeout', 'The host did not answer in time.');
    const timer = setTimeout(() => request.destroy(late), CONNECT_MS);
    socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    socket.once('close', () => clearTimeout(timer));
  });
}

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const closed = once(request, 'close').then(() => Promise.reject(brokenOff()));
  const [answer] = (await Promise.race([once(request, 'response'), closed])) as [IncomingMessage];
  closed.catch(() => undefined);
  // What breaks from here on is told by the answer.
  request.on('error', () => undefined);
  return answer.setEncoding('utf8');
}

/** @returns whether it comes in events; else it is JSON as a whole @throws EndpointFault for anything else */
async function requireAnswer(answer: IncomingMessage): Promise<boolean> {
  const { statusCode: status = 0, headers } = answer;
  if (status >= 400) throw toHttpFault({ status, headers, text: await errorTextOf(answer) });
  if (status >= 300) throw new EndpointFault('The endpoint answered with a redirect.', { status });
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new EndpointFault('The endpoint compressed its answer although it was asked not to.');
  // A page of a proxy is no answer, however long one waits for an event in it.
  const page = /^(?:text\/html|application\/xml|text\/xml|image\/[\w+-]{1,40})/i;
  const { 'content-type': written = '' } = headers;
  const type = page.exec(written)?.[0];
  if (type !== undefined)
    throw new EndpointFault(`The endpoint answered with ${type}, not with a stream.`, { isPassing: true });
  return !/^application\/json(?:$|[\s;])/i.test(written);
}

async function errorTextOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of piecesOf(answer)) {
    text += piece;
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text;
}

async function* eventsOf(answer: IncomingMessage): AsyncGenerator<string, void> {
  const events: string[] = [];
  let characters = 0;
  let excess: 'event' | 'answer' | null = null;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    // Some proxies keep a connection open by events that say nothing.
    onEvent: ({ data }) => {
      if (data.trim() !== '') events.push(data);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') excess = 'event';
    },
  });
  for await (const piece of piecesOf(answer)) {
    characters += piece.length;
    if (characters > MAX_CHARACTERS) excess = 'answer';
    else parser.feed(piece);
    yield* events.splice(0);
    if (excess !== null) throw tooLarge(excess);
  }
}

function tooLarge(what: 'event' | 'answer'): EndpointFault {
  return new EndpointFault(`The ${what} of the endpoint is too large.`, { isOfEndpoint: false });
}

async function* piecesOf(answer: IncomingMessage): AsyncGenerator<string, void> {
  let isFirst = true;
  try {
    for await (const piece of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      // A mark of the byte order is none of the text, and hid the first event.
      yield isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece;
      isFirst = false;
    }
  } catch (error) {
    throw brokenOff(error);
  }
}

/** The connection serves the next call, if the endpoint ends this answer soon. */
function leave(answer: IncomingMessage): void {
  const timer = setTimeout(() => answer.destroy(), WAIT_AFTER_DONE_MS);
  answer.once('close', () => clearTimeout(timer));
  answer.on('error', () => undefined);
  answer.resume();
}

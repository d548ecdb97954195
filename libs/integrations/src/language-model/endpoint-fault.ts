import type { IncomingHttpHeaders } from 'node:http';
import { types } from 'node:util';
import { BadGatewayError, GatewayTimeoutError, InvalidRequestError, OutsideFault } from '@app/common';
import { APICallError } from '@ai-sdk/provider';
import type { TokenUsage } from './language-model.port.js';
import type { EgressError } from '../guarded-fetch/egress-error.js';
import { egressErrorIn } from './egress-fault.js';
import { isObject } from './is-object.js';
import { isTooMuch, type Lack, lackIn, type Refusal, refusalsIn, withoutEcho } from './refusals.js';

/** What is known of a call that failed. Nothing of prompt, answer or key is in it: it goes to the log. */
export class EndpointFault extends OutsideFault {
  /** As HTTP has it; null where no answer came, or it broke off. */
  readonly status: number | null;
  /** Whether the same endpoint may do better in a moment. */
  readonly isPassing: boolean;
  /** Whether another endpoint may do better. */
  readonly isOfEndpoint: boolean;
  /** No answer came at all: the endpoint has done nothing. */
  readonly isUnreached: boolean;
  /** The endpoint's own code of the error, where it says nothing of the request; else that of the network. */
  readonly word: string | null;
  /** How long the endpoint wants to be left alone. */
  readonly retryAfterMs: number | null;
  /** Where the endpoint has said what the failed call cost. */
  readonly usage: TokenUsage | null;
  /** What of the request the endpoint speaks of, in our words. */
  readonly refused: readonly Refusal[];
  /** What was refused is known to the endpoint, and too much. */
  readonly isTooMuch: boolean;
  /** What the model cannot do at all. */
  readonly lack: Lack | null;

  constructor(message: string, known: Partial<Omit<EndpointFault, keyof Error | 'code'>> = {}) {
    super(message);
    this.name = 'EndpointFault';
    this.status = known.status ?? null;
    this.isPassing = known.isPassing ?? false;
    this.isOfEndpoint = known.isOfEndpoint ?? true;
    this.isUnreached = known.isUnreached ?? false;
    this.word = known.word ?? null;
    this.retryAfterMs = known.retryAfterMs ?? null;
    this.usage = known.usage ?? null;
    this.refused = known.refused ?? [];
    this.isTooMuch = known.isTooMuch ?? false;
    this.lack = known.lack ?? null;
  }

  get code(): string {
    return this.word ?? (this.status === null ? 'no_answer' : `status_${this.status}`);
  }
}

/** The prompt does not fit the model. */
class ContextFault extends EndpointFault {}
class TimeoutFault extends EndpointFault {}
/** It answered, and not in the form that was asked for. */
export class FormFault extends EndpointFault {}

export const timeoutFault = (what: string, seconds: number): EndpointFault =>
  new TimeoutFault(`The endpoint gave no ${what} within ${seconds} s.`);

const PASSING = new Set([408, 409, 425, 429]);
/** Key, address or account are wrong: another endpoint has others. */
const MISCONFIGURED = new Set([401, 402, 403, 404]);
/** Each vendor and server has words of its own (refusals.spec.ts). */
const TOO_LONG =
  /context[ _-]?(?:length|window|size|limit)|maximum context|max(?:imum)? (?:prompt|model|sequence|allowed|allowed input|input) length|max_(?:model|seq|input)_len|too many (?:input )?tokens|(?:prompt|input) (?:is )?too (?:long|large)|prompt exceeds max|reduce (?:the length|your (?:message|prompt|input))|decrease input length|token count (?:of )?(?:\(?\d+\)? )?exceeds|(?:model|total) tokens? limit|tokens_limit_reached|range of input length|`?inputs`? (?:tokens \+|must have less than)|request[ _]too[ _]large/i;
/** The limit of the answer is too much, not the prompt. */
const TOO_LONG_AN_ANSWER = /max_(?:completion_)?tokens\W{0,3} (?:must be|is too large)|max_tokens=\d+ cannot be/i;
/** Servers of models in the house say so with 500, too. */
const OF_PROMPT = new Set([400, 422, 500]);

/**
 * What a failed call to a model endpoint is to our callers: a `DomainError` whose cause is an `EndpointFault`.
 * @param signal the one that the call had, of which the caller's own is a part
 */
export function toModelError(error: unknown, signal: AbortSignal, callerSignal: AbortSignal | undefined): unknown {
  if (callerSignal?.aborted) return callerSignal.reason;
  const cause = toFault(signal.aborted ? signal.reason : error);
  if (cause instanceof TimeoutFault)
    return new GatewayTimeoutError('The model did not answer in time.', { code: 'model_timeout', cause });
  if (cause instanceof ContextFault)
    return new InvalidRequestError('This is more than the model can read at once.', {
      code: 'context_too_long',
      cause,
    });
  if (cause.lack !== null) {
    const { detail, code } = LACKS[cause.lack];
    return new InvalidRequestError(detail, { code, cause });
  }
  if (cause instanceof FormFault)
    return new BadGatewayError('The model did not answer in the form that was asked for.', {
      code: 'model_error',
      cause,
    });
  const code = codeOf(cause);
  return new BadGatewayError(DETAILS[code], { code, cause });
}

const LACKS = {
  tools: { detail: 'This model cannot work with tools.', code: 'model_lacks_tools' },
  images: { detail: 'This model cannot look at images.', code: 'model_lacks_images' },
} as const;

/** What a person can do about it differs; all of them are 502. */
const DETAILS = {
  model_auth_failed: 'The model endpoint does not accept the key. Whoever set the model up has to renew it.',
  model_not_found:
    'The model endpoint does not know this model. Whoever set the model up has to correct its name or address.',
  model_address_blocked: 'The address of the model endpoint may not be called from here.',
  model_unreachable: 'The model endpoint cannot be reached at present.',
  model_rate_limited:
    'The model endpoint takes no more requests at present: a limit or the credit of its account is used up.',
  model_error: 'The model endpoint failed.',
} as const;

/** In the middle of a stream there is no status: OpenAI's and Anthropic's words for one. */
const LIMITS = new Set(['insufficient_quota', 'rate_limit_exceeded', 'rate_limit_error']);

const ADDRESS_BLOCKED = 'address_blocked';

/** The connection was there, and may have been for long. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** The codes that `toModelError` gives to endpoints that failed. */
export const MODEL_FAILURES: ReadonlySet<string> = new Set(Object.keys(DETAILS));

function codeOf({ status, word, isUnreached }: EndpointFault): keyof typeof DETAILS {
  if (word === ADDRESS_BLOCKED) return 'model_address_blocked';
  if (isUnreached) return word !== null && LOST.has(word) ? 'model_error' : 'model_unreachable';
  if (status === 401 || status === 403 || word === 'invalid_api_key') return 'model_auth_failed';
  if (status === 404 || word === 'model_not_found') return 'model_not_found';
  if (status === 402 || status === 429 || (word !== null && LIMITS.has(word))) return 'model_rate_limited';
  return 'model_error';
}

/** What is known of a failure that `toModelError` has made; null for any other. */
export function faultOf(error: unknown): EndpointFault | null {
  return error instanceof Error && error.cause instanceof EndpointFault ? error.cause : null;
}

/** What is known of whatever a call to a model endpoint has thrown. */
export function toFault(error: unknown): EndpointFault {
  if (error instanceof EndpointFault) return error;
  const egress = egressErrorIn(error);
  if (egress) return refusedOnTheWay(egress);
  // Embeddings are timed with AbortSignal.timeout.
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new TimeoutFault('The endpoint gave no answer in time.');
  // What our fetch threw comes wrapped.
  const inner = types.isNativeError(error) ? error.cause : undefined;
  if (inner instanceof EndpointFault) return inner;
  if (APICallError.isInstance(error)) return toCallFault(error);
  const code = networkCodeOf(error);
  if (code !== null) return unreached(code);
  return new EndpointFault(`The answer of the endpoint could not be read (${nameOf(error)}).`, { isPassing: true });
}

function toCallFault(error: APICallError): EndpointFault {
  const { statusCode: status, responseHeaders: headers = {}, responseBody: text = '' } = error;
  if (status !== undefined && status >= 400) return toHttpFault({ status, headers, text });
  if (status !== undefined) return brokenOff(error.cause);
  return unreached(networkCodeOf(error.cause) ?? nameOf(error.cause));
}

/** @param cause what the connection had */
export function brokenOff(cause?: unknown): EndpointFault {
  const code = cause === undefined ? '' : ` (${networkCodeOf(cause) ?? nameOf(cause)})`;
  return new EndpointFault(`The endpoint broke off its answer${code}.`, { isPassing: true });
}

/** An answer of 400 or more. @param text its body, or the beginning of it */
export function toHttpFault({ status, headers, text }: HttpFailure): EndpointFault {
  const { code, message, param } = errorIn(text);
  const words = `${wordOf(code) ?? ''} ${typeof message === 'string' ? message : text}`;
  // Whose address lacks its /v1 has no model under any name.
  const hint = status === 404 ? ' Either there is no such model, or the address is wrong: most end in /v1.' : '';
  const told = `The endpoint answered ${status}${wordOf(code) ? ` (${wordOf(code)})` : ''}.${hint}`;
  // A body that is too large for what stands before the endpoint is a prompt that is too long, whatever it says.
  if (status === 413 || (OF_PROMPT.has(status) && isTooLong(words)))
    return new ContextFault(told, { status, isOfEndpoint: false });
  const isSpent = wordOf(code) === 'insufficient_quota';
  const said = { status, param, message: typeof message === 'string' ? message : text };
  return new EndpointFault(told, {
    refused: refusalsIn(said),
    isTooMuch: isTooMuch(said.message),
    lack: lackIn(said),
    status,
    word: wordOf(code),
    isPassing: (PASSING.has(status) || status >= 500) && !isSpent,
    isOfEndpoint: PASSING.has(status) || status >= 500 || MISCONFIGURED.has(status),
    retryAfterMs: retryAfterOf(headers),
  });
}

function isTooLong(said: string): boolean {
  const words = withoutEcho(said).slice(0, 4000);
  return TOO_LONG.test(words) && !TOO_LONG_AN_ANSWER.test(words);
}

function errorIn(text: string): ErrorObject {
  try {
    const error = (JSON.parse(text) as { error?: unknown } | null)?.error;
    return isObject(error) ? error : {};
  } catch {
    return {};
  }
}

/** What the guarded way out made of a call: its texts name no address. */
function refusedOnTheWay({ failure, message, cause }: EgressError): EndpointFault {
  if (failure === 'blocked') return new EndpointFault(message, { word: ADDRESS_BLOCKED, isUnreached: true });
  if (failure === 'timeout') return new TimeoutFault('The endpoint did not answer in time.');
  const word = networkCodeOf(cause);
  if (failure === 'unreachable' && word !== null && LOST.has(word)) return brokenOff(cause);
  if (failure === 'unreachable' || failure === 'certificate')
    return new EndpointFault(message, { word, isPassing: failure === 'unreachable', isUnreached: true });
  if (failure === 'too_large')
    return new EndpointFault('The answer of the endpoint is too large.', { isOfEndpoint: false });
  return new EndpointFault(message, { isPassing: failure === 'protocol' });
}

function unreached(code: string): EndpointFault {
  // Node's fetch waits five minutes for a whole answer to begin, whatever it is told.
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code)) return new TimeoutFault(`The endpoint was silent (${code}).`);
  const known = { word: code, isPassing: true, isUnreached: true };
  return new EndpointFault(`The endpoint could not be reached (${code}).`, known);
}

interface HttpFailure {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface ErrorObject {
  message?: unknown;
  type?: unknown;
  code?: unknown;
  param?: unknown;
}

/** An error object in the middle of a stream that began well; some have the status that it would have been as its code. */
export function toStreamedFault({ code, type, message }: ErrorObject): EndpointFault {
  const word = wordOf(code) ?? wordOf(type);
  const status = statusIn(code);
  const told = `The endpoint told of an error in its answer${word ? ` (${word})` : ''}.`;
  if (TOO_LONG.test(`${word ?? ''} ${typeof message === 'string' ? message.slice(0, 4000) : ''}`))
    return new ContextFault(told, { isOfEndpoint: false });
  const isSet = status !== null && MISCONFIGURED.has(status);
  return new EndpointFault(told, { word, status, isPassing: word !== 'insufficient_quota' && !isSet });
}

function statusIn(code: unknown): number | null {
  const status = typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : null;
}

/** Words of the protocol are told; what may be a key, or something of the prompt, is not. */
function wordOf(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z]+(?:_[a-z]+){0,6}$/.test(value) && value.length <= 60 ? value : null;
}

/** Such as ECONNREFUSED. */
function networkCodeOf(error: unknown): string | null {
  for (let at = error; types.isNativeError(at); at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return code;
  }
  return null;
}

function nameOf(error: unknown): string {
  return types.isNativeError(error) && /^\w{1,60}$/.test(error.name) ? error.name : 'unknown';
}

function retryAfterOf(headers: IncomingHttpHeaders): number | null {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const written = headers['retry-after'];
  if (written === undefined) return null;
  const seconds = Number(written);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(written) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

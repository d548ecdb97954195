import type { IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { DomainError, InvalidRequestError, isEncodedUtf8, PayloadTooLargeError } from '@app/common';
import type { AppConfig } from '@app/config';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import express, { type RequestHandler, type Response } from 'express';
import multer from 'multer';
import type { ApiRequest } from './api-request.js';
import { LengthRequiredError, RequestTimeoutError, UnsupportedMediaTypeError } from './http-errors.js';
import { refuseLostNumbers } from './lost-numbers.js';
import type { RateLimiter } from './rate-limiter.js';
import { bodyMillisecondsOf } from './slow-bodies.js';

/** Bodies that came as forms: their values are text (see `readDto`). */
export const formBodies = new WeakSet<object>();

const MAX_DEPTH = 100;
const MAX_FIELDS = 1000;
/** A body counts as one call more for each of so many bytes: what is done with it keeps everybody else waiting. */
const BYTES_OF_A_CALL = 256 * 1024;

/**
 * Refuses queries that are not UTF-8 and reads the body, as the last of the guards: nobody's megabytes are parsed before
 * the caller is known and within the rate limit. Routes that read their own body (uploads) are left alone.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  private readonly parsers: Record<string, RequestHandler>;
  private readonly rowsParser: RequestHandler;
  private readonly limit: number;

  constructor(
    { bodyLimitBytes: limit, rowsBodyLimitBytes }: AppConfig['http'],
    private readonly limiter: RateLimiter,
  ) {
    this.limit = limit;
    this.rowsParser = jsonParser(Math.max(limit, rowsBodyLimitBytes));
    this.parsers = {
      'application/json': jsonParser(limit),
      'application/x-www-form-urlencoded': express.urlencoded({
        limit,
        verify: readAsWritten,
        extended: false,
        type: () => true,
        parameterLimit: MAX_FIELDS,
      }),
      'multipart/form-data': multer({
        defParamCharset: 'utf8',
        limits: { fieldSize: limit, fields: MAX_FIELDS, parts: MAX_FIELDS },
      }).none(),
    };
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const { method, headers, declaredRoute, originalUrl } = request;
    const query = originalUrl.indexOf('?');
    // Not in a middleware: the answer has the error shape of its route.
    if (query >= 0 && !isEncodedUtf8(originalUrl.slice(query)))
      throw new InvalidRequestError('The query is not UTF-8.', { code: 'parse_error' });
    if (method === 'GET' || method === 'HEAD' || declaredRoute?.readsOwnBody) return true;
    const length = headers['content-length'];
    if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return true;
    return this.read(request, context.switchToHttp().getResponse<Response>());
  }

  private async read(request: ApiRequest, response: Response): Promise<boolean> {
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
    const parser =
      request.declaredRoute?.bringsRows && mediaType === 'application/json'
        ? this.rowsParser
        : Object.hasOwn(this.parsers, mediaType)
          ? this.parsers[mediaType]
          : undefined;
    if (!parser) throw new UnsupportedMediaTypeError(mediaType);
    if (mediaType === 'multipart/form-data') this.checkFormLength(request);
    const body = await parseBody(parser, request, response).catch((error: unknown) => {
      const refusal = request.declaredRoute?.bodyTooLarge;
      throw refusal && error instanceof PayloadTooLargeError
        ? new InvalidRequestError(refusal.message, { code: refusal.code })
        : error;
    });
    const { countedBy, bodyBytes = Number(request.headers['content-length']) } = request;
    const calls = Math.floor(bodyBytes / BYTES_OF_A_CALL);
    if (countedBy && calls > 0) await this.limiter.hit(countedBy.limit, countedBy.who, response, calls);
    if (typeof body !== 'object' || body === null) return true;
    if (mediaType === 'application/json') checkDepth(body);
    else {
      if (mediaType === 'multipart/form-data') refuseReplaced(body);
      formBodies.add(body);
    }
    return true;
  }

  /** The form parser limits each field, not all of them together. */
  private checkFormLength(request: ApiRequest): void {
    const length = request.headers['content-length'];
    if (length === undefined) throw new LengthRequiredError();
    if (Number(length) > this.limit) throw new PayloadTooLargeError('The request body is too large.');
  }
}

const jsonParser = (limit: number): RequestHandler =>
  express.json({ limit, strict: false, type: () => true, verify: readAsWritten });

/**
 * Refuses bytes that would be read as something else than was written: text that is not UTF-8, and numbers that
 * JavaScript cannot hold. @throws InvalidRequestError `parse_error`, `number_out_of_range`
 */
function refuseUnfaithful(bytes: Buffer, contentType: string): void {
  const type = contentType.toLowerCase();
  // The parsers read other character sets, and refuse those that they do not know.
  const charset = /charset\s*=\s*"?([\w-]+)/.exec(type)?.[1] ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') return;
  if (!isUtf8(bytes)) throw new InvalidRequestError('The body is not UTF-8.', { code: 'parse_error' });
  if (type.startsWith('application/x-www-form-urlencoded')) {
    if (!isEncodedUtf8(bytes.toString('latin1')))
      throw new InvalidRequestError('The form is not UTF-8.', { code: 'parse_error' });
    return;
  }
  refuseLostNumbers(bytes.toString('utf8'));
}

/** The same for the parsers of Express, as their `verify`. */
export function verifyFaithful(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  refuseUnfaithful(bytes, request.headers['content-type'] ?? '');
}

/**
 * The parser of multipart forms puts U+FFFD where bytes are no UTF-8.
 * @throws InvalidRequestError
 */
export function refuseReplaced(fields: object): void {
  for (const text of Object.entries(fields).flat(2))
    if (typeof text === 'string' && text.includes('\uFFFD'))
      throw new InvalidRequestError('The form is not UTF-8.', { code: 'parse_error' });
}

/** Signatures are over the bytes as they came. */
function readAsWritten(request: ApiRequest, response: unknown, bytes: Buffer): void {
  request.bodyBytes = bytes.length;
  verifyFaithful(request, response, bytes);
  if (request.declaredRoute?.keepsRawBody) request.rawBody = bytes;
}

/** For guards that read a body of their own. @throws DomainError for what cannot be read, or not in time */
export async function parseBody(parser: RequestHandler, request: ApiRequest, response: Response): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const deadline = setTimeout(() => {
    response.setHeader('Connection', 'close');
    response.once('finish', () => request.destroy());
    reject(new RequestTimeoutError());
  }, bodyMillisecondsOf(request));
  void parser(request, response, (error?: unknown) => (error ? reject(readable(error)) : resolve()));
  await promise.finally(() => clearTimeout(deadline));
  return request.body as unknown;
}

interface ParserError {
  status?: number;
  code?: string;
  type?: string;
  /** What was not to be read, of a 415. */
  charset?: string;
  encoding?: string;
}

/** Parsers throw errors with a status (http-errors) or plain ones for broken multipart. */
function readable(error: unknown): unknown {
  const { status, code, type, charset, encoding } = error as ParserError;
  if (error instanceof DomainError) return error;
  if (code?.startsWith('LIMIT_')) return error;
  if (status === 413) return new PayloadTooLargeError('The request body is too large.', { cause: error });
  if (status === 415) return new UnsupportedMediaTypeError(charset ?? encoding ?? 'encoding', { cause: error });
  if (status !== undefined && status >= 500) return error;
  const what = type === 'entity.parse.failed' ? 'JSON parse error.' : 'The request body cannot be read.';
  return new InvalidRequestError(what, { code: 'parse_error', cause: error });
}

/** What walks over a body later may recurse, so the depth ends here. */
export function checkDepth(body: object): void {
  let level: object[] = [body];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new InvalidRequestError('The JSON is nested too deeply.', { code: 'parse_error' });
    const next: object[] = [];
    for (const value of level)
      for (const item of Array.isArray(value) ? value : Object.values(value))
        if (typeof item === 'object' && item !== null) next.push(item as object);
    level = next;
  }
}

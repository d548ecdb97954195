import { InvalidRequestError, isDictionary, parseAny, PayloadTooLargeError, Refusal } from '@app/common';
import { MAX_PAYLOAD_BYTES } from '@app/workflow-definition';
import type { ApiRequest } from '../http/api-request.js';
import { UnsupportedMediaTypeError } from '../http/http-errors.js';
import { checkDepth, parseBody, refuseUnfaithful } from '../http/request-body.guard.js';
import express, { type Response } from 'express';

/** What white space and escapes may add to a payload. */
const readBytes = express.raw({ limit: MAX_PAYLOAD_BYTES * 4, type: () => true });

/** The bytes of a call, before anybody knows who sent it. @throws InvalidRequestError when there are too many. */
export async function readDelivery(request: ApiRequest, response: Response): Promise<Buffer> {
  const body = await parseBody(readBytes, request, response).catch((error: unknown) => {
    throw error instanceof PayloadTooLargeError
      ? invalid(`The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`)
      : error;
  });
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/**
 * A sender's own body as a payload: a JSON object or a form as it is, any other JSON as `body`, nothing as an empty one.
 * @throws InvalidRequestError, UnsupportedMediaTypeError
 */
export function payloadOf(bytes: Buffer, contentType: string | undefined): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const mediaType = (contentType ?? 'application/json').split(';', 1)[0]!.trim().toLowerCase();
  refuseUnfaithful(bytes, mediaType);
  const value = parse(bytes.toString('utf8'), mediaType);
  if (typeof value === 'object' && value !== null) checkDepth(value);
  const storable = parseAny(value);
  if (storable instanceof Refusal) throw invalid(storable.message);
  return isDictionary(value) ? value : { body: value };
}

function parse(text: string, mediaType: string): unknown {
  if (mediaType === 'application/x-www-form-urlencoded') return fromForm(new URLSearchParams(text));
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json') && mediaType !== 'text/plain')
    throw new UnsupportedMediaTypeError(mediaType);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new InvalidRequestError('JSON parse error.', { code: 'parse_error', cause: error });
  }
}

/** A field that comes several times is a list. */
function fromForm(form: URLSearchParams): Record<string, unknown> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of form) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value]);
  }
  return Object.fromEntries(fields);
}

function invalid(message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'invalid_payload' });
}

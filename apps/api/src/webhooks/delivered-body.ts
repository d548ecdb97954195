import { InvalidRequestError, PayloadTooLargeError } from '@app/common';
import { MAX_PAYLOAD_BYTES } from '@app/workflow-definition';
import type { ApiRequest } from '../http/api-request.js';
import { parseBody } from '../http/request-body.guard.js';
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

function invalid(message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'invalid_payload' });
}

import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { EgressError } from './egress-error.js';

/** A body that is not held in memory. */
export interface StreamedBody {
  sizeBytes: number;
  /** Called once for each time that the body is sent. */
  open(): AsyncIterable<Uint8Array>;
}

export type RequestBody = string | Uint8Array | StreamedBody;

/** Ends the request with the body; a source that fails breaks the request off. */
export function sendBody(request: ClientRequest, body: RequestBody | undefined): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    request.end(body);
    return;
  }
  request.setHeader('content-length', body.sizeBytes);
  // Not `pipeline`: that aborts a request without the reason.
  const source = Readable.from(read(body));
  source.once('error', (error) => request.destroy(error));
  request.once('close', () => source.destroy());
  source.pipe(request);
}

async function* read(body: StreamedBody): AsyncGenerator<Uint8Array> {
  try {
    yield* body.open();
  } catch (error) {
    throw new EgressError('body', 'What was to be sent could not be read.', error);
  }
}

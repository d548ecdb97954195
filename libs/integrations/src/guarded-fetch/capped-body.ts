import { PassThrough, pipeline, Transform, type Readable } from 'node:stream';
import { EgressError } from './egress-error.js';

/**
 * The source, broken off with an EgressError when it gives more than `maxBytes` or `signal` aborts. Whoever destroys
 * the result ends the source.
 * @param translate what a failure of the source is to the reader
 */
export function cappedBody(
  source: Readable,
  maxBytes: number,
  translate: (error: unknown) => unknown = (error) => error,
  signal?: AbortSignal,
): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new EgressError('too_large', 'The answer of the host is too large.'));
      else done(null, chunk);
    },
  });
  const output = new PassThrough();
  // It may break before anybody reads it, and an error without a listener ends the process; readers still get it.
  output.on('error', () => undefined);
  const abort = () => source.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  pipeline(source, counter, (error) => {
    signal?.removeEventListener('abort', abort);
    if (error) output.destroy(translate(error) as Error);
  });
  counter.pipe(output);
  output.once('close', () => source.destroy());
  return output;
}

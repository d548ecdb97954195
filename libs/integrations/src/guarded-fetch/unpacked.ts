import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressError } from './egress-error.js';

/**
 * What is in a body that came packed: some hosts pack whatever they are asked for. Whoever reads it counts its bytes,
 * which are made as they are read.
 * @throws EgressError `protocol` for a coding that nobody knows
 */
export function unpacked(source: Readable, coding: string): Readable {
  if (coding === '' || coding === 'identity') return source;
  const decoder = decoderOf(coding);
  if (!decoder) {
    source.destroy();
    throw new EgressError('protocol', 'The host answers in a coding that cannot be read.');
  }
  pipeline(source, decoder, () => undefined);
  return decoder;
}

function decoderOf(coding: string): Transform | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return null;
  }
}

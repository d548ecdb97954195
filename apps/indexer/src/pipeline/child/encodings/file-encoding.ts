import { createReadStream } from 'node:fs';
import { detectEncoding, type TextEncoding } from '../decode-text.js';
import { EVIDENCE_BYTES, gather } from './evidence.js';
import { guessLegacyEncoding } from './legacy-encodings.js';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The encoding of a whole file, as `TextDecoder` calls it, in constant memory: a table that is plain ASCII for megabytes
 * may name a Müller at its end.
 */
export async function detectFileEncoding(path: string): Promise<TextEncoding> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const evidence: Buffer[] = [];
  let left = EVIDENCE_BYTES;
  let valid = true;
  let first = true;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    if (first) {
      const begins = detectEncoding(chunk, true);
      if (begins !== 'utf-8' && /^(?:utf-16|iso-2022)/.test(begins)) return begins;
      first = false;
    }
    valid &&= isValid(utf8, chunk, true);
    left = gather(chunk, evidence, left);
    if (!valid && left <= 0) break;
  }
  if (valid && isValid(utf8, Buffer.alloc(0), false)) return 'utf-8';
  return guessLegacyEncoding(Buffer.concat(evidence));
}

function isValid(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer, stream: boolean): boolean {
  try {
    decoder.decode(chunk, { stream });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

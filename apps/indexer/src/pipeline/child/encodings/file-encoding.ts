import { createReadStream } from 'node:fs';
import { guessLegacyEncoding } from '@app/documents/kit';
import { detectEncoding, detectMark, type TextEncoding } from '../decode-text.js';
import { EVIDENCE_BYTES, gather } from './evidence.js';
import { Utf8Check } from './utf8-check.js';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The encoding of a whole file, as `TextDecoder` calls it, in constant memory: a table that is plain ASCII for megabytes
 * may name a Müller at its end.
 */
export async function detectFileEncoding(path: string): Promise<TextEncoding> {
  const utf8 = new Utf8Check();
  const evidence: Buffer[] = [];
  let left = EVIDENCE_BYTES;
  let first = true;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    if (first) {
      const mark = detectMark(chunk);
      if (mark !== null) return mark;
      const begins = detectEncoding(chunk, true);
      if (begins !== 'utf-8' && /^(?:utf-16|iso-2022)/.test(begins)) return begins;
      first = false;
    }
    const valid = utf8.add(chunk);
    left = gather(chunk, evidence, left);
    if (!valid && left <= 0) break;
  }
  return utf8.finish() ? 'utf-8' : guessLegacyEncoding(Buffer.concat(evidence));
}

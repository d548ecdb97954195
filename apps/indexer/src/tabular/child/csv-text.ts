import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TextDecoderStream, TextEncoderStream } from 'node:stream/web';
import { detectEncoding } from '../../pipeline/child/decode-text.js';

const SAMPLE_BYTES = 1024 * 1024;

export async function readSample(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The encoding of a file's beginning, as `TextDecoder` calls it. */
export function encodingOf(sample: Buffer): string {
  return detectEncoding(sample, sample.length === SAMPLE_BYTES);
}

/** The encoding of a text that turned out, in its middle, not to be UTF-8: one of the old code pages. */
export async function codePageOf(path: string): Promise<'windows-1256' | 'windows-1252'> {
  let high = 0;
  let besideAnother = 0;
  let before = false;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
    for (const byte of chunk) {
      const now = byte >= 0xc0;
      if (now) high += 1;
      if (now && before) besideAnother += 1;
      before = now;
    }
  return besideAnother > high / 3 ? 'windows-1256' : 'windows-1252';
}

/** Writes the file again as UTF-8 without a byte order mark. */
export async function writeAsUtf8(path: string, encoding: string, target: string): Promise<void> {
  const decoded = Readable.toWeb(createReadStream(path))
    .pipeThrough(new TextDecoderStream(encoding))
    .pipeThrough(new TextEncoderStream());
  await pipeline(Readable.fromWeb(decoded), createWriteStream(target));
}

import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TextDecoderStream, TextEncoderStream } from 'node:stream/web';

const SAMPLE_BYTES = 1024 * 1024;

/** The beginning of a file, of which a megabyte tells enough. */
export async function readSample(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Writes the file again as UTF-8 without a byte order mark; bytes that are no text of the encoding become U+FFFD. */
export async function writeAsUtf8(path: string, encoding: string, target: string): Promise<void> {
  const decoded = Readable.toWeb(createReadStream(path))
    .pipeThrough(new TextDecoderStream(encoding))
    .pipeThrough(new TextEncoderStream());
  await pipeline(Readable.fromWeb(decoded), createWriteStream(target));
}

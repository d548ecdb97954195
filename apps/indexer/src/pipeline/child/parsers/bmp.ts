import { open } from 'node:fs/promises';
import { decode } from 'bmp-ts';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { readImageSize } from '@app/documents';
import { ExtractionError } from '../../extraction-error.js';

/** Width and height stand in the first bytes. */
const HEAD_BYTES = 64;

/**
 * A BMP of bounded size, decoded here because libvips reads none.
 * @param mostPixels is held against the header, before anything is made room for
 * @throws ExtractionError `too_large`; other errors for a damaged file
 */
export async function openBmp(path: string, mostPixels: number): Promise<Sharp> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    await file.read(head, 0, HEAD_BYTES, 0);
    const claimed = readImageSize(head);
    if (claimed !== null && claimed.width * claimed.height > mostPixels)
      throw new ExtractionError('too_large', 'The image has more than 50 million pixels.');
    const { data, width, height } = decode(await file.readFile(), { toRGBA: true });
    // The fourth byte of a pixel says nothing in most files, and would blank the picture wherever sharp weighs by it.
    for (let at = 3; at < data.length; at += 4) data[at] = 255;
    return sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
  } finally {
    await file.close();
  }
}

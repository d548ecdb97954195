import { open } from 'node:fs/promises';
import { decode } from 'bmp-ts';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { readImageSize } from '@app/documents/kit';
import { ExtractionError } from '../../extraction-error.js';

/** Width and height stand in the first bytes. */
const HEAD_BYTES = 64;
/** Neither recognition nor a thumbnail asks for more; decoded, a pixel takes four bytes, and that twice. */
const MAX_SIDE = 3_508;

/**
 * A BMP of bounded size, decoded here because libvips reads none, and made as small as anybody needs it.
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
    const { data: pixels, info } = await sharp(data, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true, kernel: 'lanczos3' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return sharp(pixels, { raw: { width: info.width, height: info.height, channels: info.channels } });
  } finally {
    await file.close();
  }
}

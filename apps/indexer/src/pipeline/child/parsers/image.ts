import sharp from 'sharp';
import type { OutputInfo, Sharp } from 'sharp';
import { ExtractionError } from '../../extraction-error.js';
import { recognise } from '../ocr-engine.js';
import type { Parser } from '../parser.js';

const MAX_PIXELS = 50_000_000;
/** Letters of small pictures are made larger: Tesseract wants capitals of 20 pixels and more. */
const SMALL_SIDE = 1_000;
const LARGE_SIDE = 5_000;

sharp.cache(false);
sharp.concurrency(1);

/** Images by OCR; a TIFF or GIF with several frames has as many pages. */
export const parseImage: Parser = async (request, sink) => {
  if (!request.ocr) {
    throw new ExtractionError('empty', 'This is an image, and OCR was off. Upload it again with OCR on.');
  }
  const input = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  const { pages = 1 } = await sharp(request.path, input).metadata().catch(explain);
  sink.announce(request.kind === 'tiff' ? pages : 1);
  for (let page = 0; page < (sink.total ?? 1); page += 1) {
    const upright = sharp(request.path, { ...input, ...(request.kind === 'tiff' ? { page } : {}) }).autoOrient();
    const { data, info } = await forOcr(upright).catch(explain);
    const { text, lines } = await recognise(data, info, request.languages);
    if (text === '' && sink.total === 1)
      throw new ExtractionError('empty', 'No text could be recognised in this image.');
    await sink.emit({ text, lines, ocr: true });
  }
};

/** Grey, on white, in a size that Tesseract reads well. */
async function forOcr(image: Sharp): Promise<{ data: Buffer; info: OutputInfo }> {
  const { width, height } = (await image.metadata()).autoOrient;
  const side = Math.max(width, height);
  const scale = side < SMALL_SIDE ? 2 : Math.min(1, LARGE_SIDE / side);
  return image
    .flatten({ background: 'white' })
    .resize({ width: Math.max(1, Math.round(width * scale)), kernel: 'lanczos3' })
    .greyscale()
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true });
}

function explain(error: unknown): never {
  if (error instanceof Error && /pixel limit/i.test(error.message)) {
    throw new ExtractionError('too_large', 'The image has more than 50 million pixels.', { cause: error });
  }
  throw new ExtractionError('damaged', 'This image is damaged and cannot be opened.', { cause: error });
}

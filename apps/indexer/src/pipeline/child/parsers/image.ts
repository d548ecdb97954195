import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { FileKind } from '@app/documents/kit';
import { ExtractionError } from '../../extraction-error.js';
import { toGrey } from '../ocr/grey-picture.js';
import type { GreyPicture } from '../ocr/grey-picture.js';
import { PageReader } from '../ocr/page-reader.js';
import type { Parser } from '../parser.js';
import { openBmp } from './bmp.js';

const MAX_PIXELS = 50_000_000;
/** No page is so long; libraries hold such pictures in memory many times over. */
const MAX_SIDE = 40_000;
/** Letters of small pictures are made larger: Tesseract wants capitals of 20 pixels and more. */
const SMALL_SIDE = 1_000;
/** An A4 page at 300 dpi. Recognition takes ten bytes for each pixel. */
const LARGE_SIDE = 3_508;

const POINTS_PER_INCH = 72;
const LEAST_DPI = 50;
const MOST_DPI = 2_400;

sharp.cache(false);
sharp.concurrency(1);

/** Images by OCR. */
export const parseImage: Parser = async (request, sink) => {
  if (!request.ocr) {
    throw new ExtractionError('empty', 'This is an image, and OCR was off. Upload it again with OCR on.');
  }
  const { pages, open } = await openImage(request.path, request.kind);
  sink.announce(pages);
  const reader = new PageReader(request.languages, request.languageFolder);
  for (let page = 0; page < pages; page += 1) {
    const { text, lines, words } = await reader.read(await forOcr(open(page)).catch(explain));
    if (text === '' && pages === 1) throw new ExtractionError('empty', 'No text could be recognised in this image.');
    const geometry = sink.wantsGeometry ? { geometry: { ...(await sizeOf(open(page))), words } } : {};
    await sink.emit({ text, lines, ocr: true, ...geometry });
  }
};

/**
 * An image of bounded size, decoded when its pixels are asked for, the right way up. A TIFF has as many pages as it
 * says, other kinds have one.
 * @throws ExtractionError
 */
export async function openImage(path: string, kind: FileKind): Promise<{ pages: number; open(page: number): Sharp }> {
  if (kind === 'bmp') {
    const image = await openBmp(path, MAX_PIXELS).catch(explain);
    return { pages: 1, open: () => image.clone() };
  }
  const input = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  const { pages = 1 } = await sharp(path, input).metadata().catch(explain);
  return {
    pages: kind === 'tiff' ? pages : 1,
    open: (page) => sharp(path, { ...input, ...(kind === 'tiff' ? { page } : {}) }).autoOrient(),
  };
}

/** In points, by the resolution that the image says it has; a pixel is a point where that cannot be. */
async function sizeOf(image: Sharp): Promise<{ width: number; height: number }> {
  const { autoOrient, density = POINTS_PER_INCH } = await image.metadata();
  const scale = density >= LEAST_DPI && density <= MOST_DPI ? POINTS_PER_INCH / density : 1;
  return { width: autoOrient.width * scale, height: autoOrient.height * scale };
}

/** Grey, on white, in a size that Tesseract reads well. */
async function forOcr(image: Sharp): Promise<GreyPicture> {
  const { width, height } = (await image.metadata()).autoOrient;
  const side = Math.max(width, height);
  if (side > MAX_SIDE) throw new ExtractionError('too_large', 'The image is longer than 40,000 pixels.');
  const scale = side < SMALL_SIDE ? 2 : Math.min(1, LARGE_SIDE / side);
  return toGrey(image.resize({ width: Math.max(1, Math.round(width * scale)), kernel: 'lanczos3' }));
}

function explain(error: unknown): never {
  if (error instanceof ExtractionError) throw error;
  if (error instanceof Error && /pixel limit/i.test(error.message)) {
    throw new ExtractionError('too_large', 'The image has more than 50 million pixels.', { cause: error });
  }
  throw new ExtractionError('damaged', 'This image is damaged and cannot be opened.', { cause: error });
}

import sharp from 'sharp';
import type { DrawRequest } from '../child-messages.js';
import { ExtractionError } from '../extraction-error.js';
import { openImage } from './parsers/image.js';
import { PdfDocument } from './pdf-document.js';
import { loadPdfium } from './pdfium.js';

const QUALITY = 80;
/** Of scrolls and till receipts the beginning of a page is not shown alone; they get narrower instead. */
const MAX_HEIGHT_RATIO = 2;

/** One page of a PDF or image as a WebP of about `width` pixels. @throws ExtractionError */
export async function drawPage(request: DrawRequest): Promise<Uint8Array> {
  return request.kind === 'pdf' ? drawPdfPage(request) : drawImage(request);
}

async function drawPdfPage({ path, page, width }: DrawRequest): Promise<Uint8Array> {
  const document = PdfDocument.open(await loadPdfium(), path);
  try {
    if (page > document.pageCount) throw noSuchPage();
    const picture = await document.withPage(page - 1, async (opened) => opened.draw(width, width * MAX_HEIGHT_RATIO));
    if (picture === null) throw new ExtractionError('damaged', 'This page is damaged and cannot be opened.');
    const { pixels, ...size } = picture;
    return await sharp(pixels, { raw: { ...size, channels: 4 } })
      .removeAlpha()
      .webp({ quality: QUALITY })
      .toBuffer();
  } finally {
    document.close();
  }
}

async function drawImage({ path, kind, page, width }: DrawRequest): Promise<Uint8Array> {
  const { pages, open } = await openImage(path, kind);
  if (page > pages) throw noSuchPage();
  const height = width * MAX_HEIGHT_RATIO;
  return (
    open(page - 1)
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      // On paper, as it is recognised: black letters upon nothing are not seen in a dark window.
      .flatten({ background: 'white' })
      .webp({ quality: QUALITY })
      .toBuffer()
      .catch((cause: unknown) => {
        throw new ExtractionError('damaged', 'This image is damaged and cannot be opened.', { cause });
      })
  );
}

const noSuchPage = () => new ExtractionError('empty', 'The file has no such page.');

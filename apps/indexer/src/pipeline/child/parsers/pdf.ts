import type { ParseRequest } from '../../child-messages.js';
import type { ExtractedPage } from '../../extracted-page.js';
import { ExtractionError } from '../../extraction-error.js';
import { recognise } from '../ocr-engine.js';
import type { PageText } from '../page-text.js';
import type { Parser } from '../parser.js';
import { PdfDocument } from '../pdf-document.js';
import type { PdfPage } from '../pdf-page.js';
import { loadPdfium } from '../pdfium.js';

const OCR_DPI = 200;
/** A page number or a stamp over a scanned page is no text layer. */
const FEW_LETTERS = 20;

type Read = Omit<ExtractedPage, 'number'>;

/** PDF, page by page. With OCR, pages without usable text are drawn and recognised. */
export const parsePdf: Parser = async (request, sink) => {
  const document = PdfDocument.open(await loadPdfium(), request.path);
  try {
    sink.announce(document.pageCount);
    let unreadable = 0;
    for (let index = 0; index < document.pageCount; index += 1) {
      const page = await document.withPage(index, (opened) => readPage(opened, request));
      if (page === null) unreadable += 1;
      await sink.emit(page ?? { text: '', ocr: false });
    }
    if (unreadable === document.pageCount) {
      throw new ExtractionError('damaged', 'This PDF is damaged: none of its pages can be opened.');
    }
  } finally {
    document.close();
  }
};

async function readPage(page: PdfPage, request: ParseRequest): Promise<Read> {
  const { text, ocr } = await readOwnText(page, request);
  page.addTypedText(text);
  return { text: text.text, lines: text.lines, ocr };
}

async function readOwnText(page: PdfPage, request: ParseRequest): Promise<{ text: PageText; ocr: boolean }> {
  const own = page.readText();
  const broken = page.hasBrokenText();
  const fewLetters = countLetters(own) < FEW_LETTERS;
  if (request.ocr && (broken || (fewLetters && page.hasDrawings()))) {
    const { image, width, height } = await page.render(OCR_DPI);
    const seen = await recognise(image, { width, height }, request.languages);
    if (broken || countLetters(seen) > countLetters(own)) return { text: seen, ocr: true };
  }
  return { text: own, ocr: false };
}

function countLetters(page: PageText): number {
  return page.text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

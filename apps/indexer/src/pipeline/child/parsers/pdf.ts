import type { ParseRequest } from '../../child-messages.js';
import type { ExtractedPage } from '../../extracted-page.js';
import { ExtractionError } from '../../extraction-error.js';
import { PageReader } from '../ocr/page-reader.js';
import { PageText } from '../page-text.js';
import type { Parser } from '../parser.js';
import { PdfDocument } from '../pdf-document.js';
import type { PdfPage } from '../pdf-page.js';
import { loadPdfium } from '../pdfium.js';
import { judgeText } from '../readable-text.js';

/** Which way up small print stands cannot be told from less. */
const OCR_DPI = 300;
/** A page number or a stamp over a scanned page is no text layer. */
const FEW_LETTERS = 20;

interface Read {
  page: Omit<ExtractedPage, 'number'>;
  /** Its letters are not what it shows, and nobody recognised them. */
  unreadable: boolean;
}

/** PDF, page by page. With OCR, pages without usable text are drawn and recognised. */
export const parsePdf: Parser = async (request, sink) => {
  const document = PdfDocument.open(await loadPdfium(), request.path);
  const reader = new PageReader(request.languages, request.languageFolder);
  try {
    sink.announce(document.pageCount);
    let closed = 0;
    let unreadable = 0;
    for (let index = 0; index < document.pageCount; index += 1) {
      const read = await document.withPage(index, (opened) => readPage(opened, request, reader));
      if (read === null) closed += 1;
      if (read?.unreadable) unreadable += 1;
      await sink.emit(read?.page ?? { text: '', ocr: false });
    }
    if (closed === document.pageCount) {
      throw new ExtractionError('damaged', 'This PDF is damaged: none of its pages can be opened.');
    }
    sink.unreadablePages = unreadable;
  } finally {
    document.close();
  }
};

async function readPage(page: PdfPage, request: ParseRequest, reader: PageReader): Promise<Read> {
  const { text, ocr, unreadable } = await readOwnText(page, request, reader);
  const options = { withWords: request.geometry === true };
  const fields = page.addTypedText(text, options);
  const geometry = { ...page.size(), words: text.words, fields };
  const read = { text: text.text, lines: text.lines, ocr, ...(options.withWords ? { geometry } : {}) };
  return { page: read, unreadable };
}

async function readOwnText(
  page: PdfPage,
  request: ParseRequest,
  reader: PageReader,
): Promise<{ text: PageText; ocr: boolean; unreadable: boolean }> {
  const own = page.readText({ withWords: request.geometry === true });
  const worth = judgeText(page.characters());
  const isScan = countLetters(own) < FEW_LETTERS && page.hasDrawings();
  if (request.ocr && (worth !== 'readable' || isScan)) {
    const seen = await reader.read(page.render(OCR_DPI));
    const better = worth === 'garbage' || countLetters(seen) > countLetters(own) / (worth === 'doubtful' ? 2 : 1);
    if (better) return { text: seen, ocr: true, unreadable: false };
  }
  // Signs without a meaning would only be found by accident, and quoted to nobody's use.
  if (worth === 'garbage') return { text: new PageText(), ocr: false, unreadable: !request.ocr };
  return { text: own, ocr: false, unreadable: worth === 'doubtful' && !request.ocr };
}

function countLetters(page: PageText): number {
  return page.text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

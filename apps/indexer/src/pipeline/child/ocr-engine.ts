import { fileURLToPath } from 'node:url';
import { OEM, createWorker } from 'tesseract.js';
import type { Page, Worker } from 'tesseract.js';
import { ExtractionError } from '../extraction-error.js';
import { PageText } from './page-text.js';

const WORKER = fileURLToPath(new URL('./ocr-worker.js', import.meta.url));
const INSTALLED = ['eng', 'ara'];

let engine: { languages: string; worker: Worker } | null = null;

/**
 * Recognises the text of an encoded picture (PNG, JPEG). The engine is started on first use (about
 * 1 s, 200 MB) and kept; language data come from installed packages, never from the network.
 * @param size of the picture in pixels: rectangles become fractions of it
 */
export async function recognise(
  image: Buffer,
  size: { width: number; height: number },
  languages: readonly string[],
): Promise<PageText> {
  const worker = await engineFor(languages);
  const { data } = await worker.recognize(image, { rotateAuto: false }, { text: false, blocks: true });
  return toPageText(data, size);
}

async function engineFor(languages: readonly string[]): Promise<Worker> {
  const unknown = languages.filter((language) => !INSTALLED.includes(language));
  if (unknown.length > 0 || languages.length === 0) {
    throw new ExtractionError('unsupported', `OCR is not available in this language: ${unknown.join(', ')}.`);
  }
  const key = languages.join('+');
  if (engine?.languages === key) return engine.worker;
  await engine?.worker.terminate();
  engine = null;
  const worker = await createWorker([...languages], OEM.LSTM_ONLY, {
    workerPath: WORKER,
    langPath: 'packages',
    cacheMethod: 'none',
    // Without a handler the library throws a failed job out of a callback, beyond anybody's catch.
    errorHandler: () => undefined,
  });
  // Pictures rarely say their resolution truly; without one Tesseract guesses from the letters, badly for small ones.
  await worker.setParameters({ user_defined_dpi: '200' });
  engine = { languages: key, worker };
  return worker;
}

function toPageText(data: Page, { width, height }: { width: number; height: number }): PageText {
  const page = new PageText();
  for (const block of data.blocks ?? []) {
    for (const paragraph of block.paragraphs) {
      page.endParagraph();
      for (const line of paragraph.lines) {
        const { x0, y0, x1, y1 } = line.bbox;
        page.addLine(line.text, [x0 / width, y0 / height, x1 / width, y1 / height]);
      }
    }
  }
  return page;
}

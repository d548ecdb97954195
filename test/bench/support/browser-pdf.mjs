// PDFs of HTML pages with the true place of each word, as the browser itself lays them out.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { PAGE, STYLE } from './anchor-pages.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** ATRIUM_CHROMIUM, or the first known name on the PATH. */
function findChromium() {
  const { ATRIUM_CHROMIUM: given, PATH = '' } = process.env;
  const candidates = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  return given ?? candidates.find((file) => existsSync(file));
}

/** @throws when this machine has none */
export async function launchChromium() {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('This prints by a Chromium: apt-get install chromium fonts-hosny-amiri.');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/**
 * @param pages `{kind, html, rotate, crop}`, `rotate` in quarters, `crop` in fractions
 * @returns the bytes, and for each page its words in reading order: text, block, rectangles as displayed
 */
export async function printPages(pages) {
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage({ viewport: { width: PAGE.width, height: PAGE.height } });
    await tab.setContent(
      `<!doctype html><html lang="en"><meta charset="utf-8"><style>${STYLE}</style><body>${pages.map(({ html }) => html).join('')}</body></html>`,
    );
    await tab.emulateMedia({ media: 'print' });
    await tab.evaluate(() => document.fonts.ready);
    const words = await tab.evaluate(wordsOfSections, PAGE);
    const printed = await tab.pdf({ preferCSSPageSize: true, printBackground: true });
    const bytes = await turnAndCrop(printed, pages);
    return { bytes, pages: words.map((list, at) => list.flatMap((word) => shownWord(word, pages[at]))) };
  } finally {
    await browser.close();
  }
}

/** Runs in the browser. */
function wordsOfSections({ width, height }) {
  return [...document.querySelectorAll('section')].map((section) => {
    const origin = section.getBoundingClientRect();
    const words = [];
    const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    let glued = null;
    let lastBlock = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const block = node.parentElement.closest('p, h1, td, th, div.side, span.at');
      if (block === null) continue;
      if (block !== lastBlock) glued = null;
      lastBlock = block;
      const blocks = [...section.querySelectorAll('p, h1, td, th, div.side, span.at')];
      const flow = node.parentElement.closest('[data-flow]')?.dataset.flow;
      const repeated = node.parentElement.closest('[data-repeated]') !== null;
      const upper = getComputedStyle(node.parentElement).textTransform === 'uppercase';
      for (const match of node.data.matchAll(/\s+|\S+/g)) {
        if (/^\s/.test(match[0])) {
          glued = null;
          continue;
        }
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const rects = [...range.getClientRects()]
          .filter((rect) => rect.width > 0)
          .map((rect) => [
            (rect.left - origin.left) / width,
            (rect.top - origin.top) / height,
            (rect.right - origin.left) / width,
            (rect.bottom - origin.top) / height,
          ]);
        const text = (upper ? match[0].toUpperCase() : match[0]).replaceAll('\u00ad', '');
        // Letters of one word in elements of their own.
        if (glued) {
          glued.text += text;
          glued.rects.push(...rects);
        } else {
          glued = {
            text,
            rects,
            block: flow ? `flow ${flow}` : blocks.indexOf(block),
            row: block.closest('tbody tr')?.rowIndex ?? null,
            column: block.cellIndex ?? null,
            repeated,
          };
          words.push(glued);
        }
      }
      if (node.parentElement.closest('i') === null && !/\S$/.test(node.data)) glued = null;
    }
    return words;
  });
}

/** As displayed: cropped, then turned clockwise. */
function shownWord(word, { rotate = 0, crop = [0, 0, 1, 1] }) {
  const [left, top, right, bottom] = crop;
  const rects = word.rects.flatMap(([x0, y0, x1, y1]) => {
    const cut = [
      (x0 - left) / (right - left),
      (y0 - top) / (bottom - top),
      (x1 - left) / (right - left),
      (y1 - top) / (bottom - top),
    ];
    let turned = cut;
    for (let turn = 0; turn < rotate; turn += 1) turned = [1 - turned[3], turned[0], 1 - turned[1], turned[2]];
    const inside = turned.every((side) => side >= -0.001 && side <= 1.001);
    return inside ? [turned] : [];
  });
  return rects.length === 0 ? [] : [{ ...word, rects }];
}

async function turnAndCrop(printed, pages) {
  const { loadPdfium } = await import('../../../apps/indexer/dist/pipeline/child/pdfium.js');
  const pdfium = await loadPdfium();
  const { wasmExports } = pdfium.pdfium;
  const memory = wasmExports.malloc(printed.length);
  pdfium.pdfium.HEAPU8.set(printed, memory);
  const document = pdfium.FPDF_LoadMemDocument(memory, printed.length, '');
  if (pdfium.FPDF_GetPageCount(document) !== pages.length) throw new Error('The browser printed other pages.');
  for (const [at, { rotate = 0, crop }] of pages.entries()) {
    const page = pdfium.FPDF_LoadPage(document, at);
    const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
    if (crop) {
      const [left, top, right, bottom] = crop;
      pdfium.FPDFPage_SetCropBox(page, left * width, (1 - bottom) * height, right * width, (1 - top) * height);
    }
    if (rotate) pdfium.FPDFPage_SetRotation(page, rotate);
    pdfium.FPDF_ClosePage(page);
  }
  const writer = pdfium.PDFiumExt_OpenFileWriter();
  pdfium.PDFiumExt_SaveAsCopy(document, writer);
  const size = pdfium.PDFiumExt_GetFileWriterSize(writer);
  const out = wasmExports.malloc(size);
  pdfium.PDFiumExt_GetFileWriterData(writer, out, size);
  const bytes = Buffer.from(pdfium.pdfium.HEAPU8.slice(out, out + size));
  pdfium.PDFiumExt_CloseFileWriter(writer);
  pdfium.FPDF_CloseDocument(document);
  return bytes;
}

import type { Pdfium } from './pdfium.js';

/** Characters that are asked which way they run. */
const SAMPLE = 24;
/** Of them, as many run the same way as make it the page's. */
const MOSTLY = 0.7;
const TURNS = 4;

/**
 * The text of a page in PDFium, 0 where there is none. PDFium puts the pieces of a line in order as they are displayed: of
 * a page that lies on its side it tears words apart, so it is asked as if the page were turned until its text is level.
 */
export function loadTextPage(pdfium: Pdfium, page: number): number {
  const text = pdfium.FPDFText_LoadPage(page);
  if (text === 0) return 0;
  const shown = pdfium.FPDFPage_GetRotation(page);
  const level = levelRotation(pdfium, text);
  if (level === null || level === shown) return text;
  pdfium.FPDFText_ClosePage(text);
  pdfium.FPDFPage_SetRotation(page, level);
  try {
    return pdfium.FPDFText_LoadPage(page);
  } finally {
    pdfium.FPDFPage_SetRotation(page, shown);
  }
}

/** Clockwise quarters that make most of the text level; null: it runs in many ways. */
function levelRotation(pdfium: Pdfium, text: number): number | null {
  const count = pdfium.FPDFText_CountChars(text);
  const votes = [0, 0, 0, 0];
  const step = Math.max(1, Math.floor(count / SAMPLE));
  let asked = 0;
  for (let at = 0; at < count; at += step) {
    const code = pdfium.FPDFText_GetUnicode(text, at);
    if (code <= 0x20) continue;
    const quarters = Math.round((pdfium.FPDFText_GetCharAngle(text, at) * 2) / Math.PI);
    const turn = ((-quarters % TURNS) + TURNS) % TURNS || 0;
    votes[turn] = (votes[turn] ?? 0) + 1;
    asked += 1;
  }
  const best = votes.indexOf(Math.max(...votes));
  return asked > 0 && (votes[best] ?? 0) >= MOSTLY * asked ? best : null;
}

import { normaliseText } from '../normalise.js';
import type { PageSink } from '../page-sink.js';
import { joinBlocks, type Block } from './blocks.js';
import { cutLongText } from '../cut-long-text.js';

export interface ExtraText {
  /** In the order of the file; the same text is said once. */
  headersAndFooters?: readonly Block[];
  comments?: readonly string[];
}

/** What belongs to no page of a document: it follows the last one, on pages that say what they are. */
export function extraPages({ headersAndFooters = [], comments = [] }: ExtraText): { text: string; label: string }[] {
  const said = new Set(
    joinBlocks(headersAndFooters)
      .split('\n')
      .filter((line) => line.trim() !== ''),
  );
  return [
    ...labelled('Headers and footers', [...said].join('\n')),
    ...labelled('Comments', comments.map((comment) => comment.replace(/\s+/g, ' ').trim()).join('\n')),
  ];
}

/** Pages of what stands upon the sheets of a workbook rather than in their cells. */
export function drawingPages(drawn: string): { text: string; label: string }[] {
  const clean = normaliseText(drawn);
  return clean === '' ? [] : cutLongText(clean).map((text) => ({ text, label: 'Text boxes and charts' }));
}

function labelled(label: string, text: string): { text: string; label: string }[] {
  const clean = normaliseText(text);
  return clean === '' ? [] : cutLongText(`${label}:\n${clean}`).map((piece) => ({ text: piece, label }));
}

/** Sends the pages of a document, then what belongs to none of them. */
export async function emitWithExtras(sink: PageSink, pages: readonly string[], extra: ExtraText): Promise<void> {
  const whole = [
    ...pages.flatMap((page) => cutLongText(normaliseText(page))).map((text) => ({ text })),
    ...extraPages(extra),
  ];
  sink.announce(whole.length);
  for (const page of whole) await sink.emit({ ...page, ocr: false });
}

import type { OfficeContentNode } from 'officeparser';

// Word and LibreOffice note where pages ended when the file was last laid out. Without such notes the breaks that the
// author set are all we know. Both at once would count an author's break twice.
const LAID_OUT = /<w:lastRenderedPageBreak\b|<text:soft-page-break\b/g;
const SET_BY_AUTHOR = /<w:br\b[^>]*w:type="page"|<w:pageBreakBefore\b(?![^>]*w:val="(?:0|false)")/g;
const FIRST_TEXT = /<w:t[ >]|<text:p\b[^>]*>[^<]/;

/**
 * Parts a document's nodes into pages by the page breaks in their markup (`rawContent`). A paragraph
 * or table that runs over a break belongs to the page on which it begins.
 */
export function splitAtPageBreaks(content: readonly OfficeContentNode[]): OfficeContentNode[][] {
  const laidOut = content.some((node) => node.rawContent?.search(LAID_OUT) !== -1 && node.rawContent !== undefined);
  const mark = laidOut ? LAID_OUT : SET_BY_AUTHOR;
  const pages: OfficeContentNode[][] = [[]];
  for (const node of content) {
    const raw = node.rawContent ?? '';
    const breaks = [...raw.matchAll(mark)].map((match) => match.index);
    const firstText = raw.search(FIRST_TEXT);
    const before = breaks.filter((at) => firstText === -1 || at < firstText).length;
    for (let n = 0; n < before; n += 1) pages.push([]);
    pages.at(-1)?.push(node);
    for (let n = before; n < breaks.length; n += 1) pages.push([]);
  }
  return pages;
}

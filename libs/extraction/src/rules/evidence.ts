import type { EvidenceSpan, ExtractedValue } from '../cells/cell-evidence.js';
import { noEvidence } from '../cells/no-evidence.js';
import type { CellValue } from '../columns/table-column.js';
import { rectOf, type PageLayout, type Segment } from './segment.js';

/** Where a value stands: what of a segment, and segments that go on with it in the next lines. */
export interface Place {
  layout: PageLayout;
  parts: readonly { segment: Segment; start: number; end: number }[];
}

export const placeOf = (layout: PageLayout, segment: Segment, start: number, end: number): Place => ({
  layout,
  parts: [{ segment, start, end }],
});

/** Parts one after another: a word that is parted at the end of a line stands in the text as one. */
export const joinedText = (layout: PageLayout, parts: Place['parts']): string =>
  parts.reduce(
    (text, { start, end }, at) =>
      `${text}${at === 0 || parts[at - 1]?.end === start ? '' : ' '}${layout.page.text.slice(start, end)}`,
    '',
  );

/** The words as they stand in the document; of several lines, parted as there where the text has them one after another. */
export function quoteOf({ layout, parts }: Place): string {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return '';
  const text = layout.page.text;
  const whole = text.slice(first.start, last.end);
  const joined = joinedText(layout, parts);
  return whole.replace(/\s+/g, ' ') === joined.replace(/\s+/g, ' ') ? whole : joined;
}

export function found(value: CellValue, place: Place, score: number): ExtractedValue {
  const { layout, parts } = place;
  const spans = parts.flatMap(({ segment, start, end }): EvidenceSpan[] => {
    const rect = rectOf(layout, segment, start, end);
    return rect === null ? [] : [{ page: layout.page.number, rect }];
  });
  const address = parts[0]?.segment.address ?? null;
  return {
    value,
    evidence: {
      status: 'anchored',
      quote: quoteOf(place),
      spans,
      pageWidth: spans.length > 0 ? (layout.page.width ?? null) : null,
      pageHeight: spans.length > 0 ? (layout.page.height ?? null) : null,
      place: address === null ? null : { sheet: layout.page.label ?? '', cell: address },
      score,
      ambiguous: false,
      method: 'rules',
      anchor: 'exact',
      reason: null,
      model: null,
    },
  };
}

export const missing = (reason: string): ExtractedValue => ({ value: null, evidence: noEvidence('rules', reason) });

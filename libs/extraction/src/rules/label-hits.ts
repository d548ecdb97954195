import { labelKey } from './label-key.js';
import { LONGEST_LABEL } from './lexicon.js';
import type { Segment } from './segment.js';

/** A label in a segment, and what stands behind it in the same segment. */
export interface LabelHit {
  segment: Segment;
  keys: readonly string[];
  /** A colon, or a sign like it, ends it. */
  colon: boolean;
  /** Offsets of what is behind it in the segment; empty where it is the segment's end. */
  start: number;
  end: number;
  /** Another label may begin within what stands behind. */
  unclear: boolean;
  /** Within a line, behind a comma or the like, without a colon. */
  inner: boolean;
}

/** What mail programs put before the subject of an answer is no label: `Re: AW: Quote`. */
const REPLY = /(?<![\p{L}\p{N}])(?:re|fwd?|aw|wg|tr|rv|rép|antw|sv|vs|odp|enc|ynt|转发|回复)\s?[:：]/giu;
/** Not within a time, nor of an address. */
const COLON = /(?<!\d)[:：=](?!\/\/)|(?<=\d)[:：](?!\d|\/\/)/gu;
const MARKDOWN_HEADING = /^#{1,6}\s+/u;
/** Markdown sets labels apart: `**Serves:** 10`. */
const EMPHASIS_END = /^(?:\*{1,3}|_{1,3})(?=\s)/u;
const MAX_LENGTH = 400;
const MOST_PARTS = 8;
/** "Net 30", "Netto 14 Tage", "Due 30": days of terms of payment behind a word that is a label elsewhere. */
const TERM =
  /^(?:\d{1,2} ?%? ?\/ ?\d{1,3},? )?(?:net|netto|neto|nett|due|due in|balance due|total due|zahlbar|fällig|payable|paiement|صافي|الصافي)[ -]\d{1,3}(?: ?(?:d|days?|tagen?|jours?|d[ií]as?|يوم\p{L}*|أيام))?\.?$/iu;
/** Set between pairs of labels and values; what is before one of them is no value of what is behind it. */
const SEPARATOR = /[;·•¦|]| {2,}|\t/gu;

/** "Jonas Adler, geb. am 11.09.1987", "(IBAN), UID DE123456789": a known label behind a sign that parts, and what follows up to the next. */
export function innerHits(segment: Segment, isLabel: (key: string) => boolean): LabelHit[] {
  const text = segment.text.slice(0, MAX_LENGTH);
  const starts = [...text.matchAll(/[,;·•|(]\s*|[.)]\s+/gu)]
    .map((match) => match.index + match[0].length)
    .slice(0, MOST_PARTS);
  return starts.flatMap((start) => {
    const length = /[,;·•|()]|(?<=\d|\p{L}{4})\. |:/u.exec(text.slice(start))?.index ?? text.length - start;
    // Points within labels and dates part nothing.
    const part = text.slice(start, start + length);
    const end = part.length + start;
    // Several of them: nobody says which.
    const isOnly = (label: string) => text.toLowerCase().split(label.toLowerCase()).length === 2;
    const found =
      isWordAt(text, start) && /\p{N}/u.test(part) ? inlineHit(segment, text.slice(0, end), isLabel, start) : null;
    return found === null ||
      TERM.test(part.trim()) ||
      text[end] === ':' ||
      !isOnly(text.slice(start, found.start - segment.start))
      ? []
      : [{ ...found, inner: true }];
  });
}

const isWordAt = (text: string, at: number) => /^\p{L}/u.test(text.slice(at, at + 2));

/** Labels that a segment begins with, or that end with a colon. @param isLabel whether a key is that of a label, asked for or not */
export function labelHits(segment: Segment, isLabel: (key: string) => boolean): LabelHit[] {
  const text = segment.text.slice(0, MAX_LENGTH);
  const replies = new Set([...text.matchAll(REPLY)].map(({ 0: mark, index }) => index + mark.length - 1));
  const colons = [...text.matchAll(COLON)].flatMap(({ index }, at) => (at > 0 && replies.has(index) ? [] : [index]));
  const hits: LabelHit[] = [];
  const bounds = colons.map((colon, at) => {
    const from = at === 0 ? 0 : (colons[at - 1] ?? 0) + 1;
    return { colon, from: at === 0 ? firstLabel(text, colon, isLabel) : startOfLabel(text, from, colon, isLabel) };
  });
  for (const [at, { colon, from }] of bounds.entries()) {
    if (from === null) continue;
    const next = bounds[at + 1];
    const end = next === undefined ? text.length : (next.from ?? next.colon);
    const start = colon + 1 + (EMPHASIS_END.exec(text.slice(colon + 1, colon + 5))?.[0].length ?? 0);
    hits.push(hit(segment, text.slice(from, colon), true, start, end, next !== undefined && next.from === null));
  }
  if (colons.length > 0 && hits.length > 0) return hits;
  const whole = hit(segment, text.replace(MARKDOWN_HEADING, ''), false, text.length, text.length, false);
  if (whole.keys.some(isLabel)) return [whole];
  const inline = TERM.test(text.trim()) ? null : inlineHit(segment, text, isLabel);
  return inline === null ? [whole] : [inline];
}

function hit(segment: Segment, label: string, colon: boolean, start: number, end: number, unclear: boolean): LabelHit {
  return {
    segment,
    keys: keysOf(label),
    colon,
    start: segment.start + start,
    end: segment.start + end,
    unclear,
    inner: false,
  };
}

/** Two languages in one label are two labels: "Invoice No. / رقم الفاتورة". */
function keysOf(label: string): string[] {
  const whole = labelKey(label);
  if (!/\p{Script=Arabic}/u.test(label) || !/\p{Script=Latin}/u.test(label)) return [whole];
  const parts = [/[^\p{Script=Arabic}]+/gu, /\p{Script=Arabic}+/gu].map((other) => labelKey(label.replace(other, ' ')));
  return [whole, ...parts].filter(Boolean);
}

/** What stands before the first colon is a label, unless it ends with one that follows a comma: "1 Mill Lane, VAT No: 5". */
function firstLabel(text: string, colon: number, isLabel: (key: string) => boolean): number {
  if (isLabel(labelKey(text.slice(0, colon)))) return 0;
  const start = startOfLabel(text, 0, colon, isLabel);
  return start !== null && /[,;·|)–—.] ?$/u.test(text.slice(0, start)) ? start : 0;
}

/** Where the label before a later colon begins: the longest known one, or what a separator parts; null where neither tells. */
function startOfLabel(text: string, from: number, colon: number, isLabel: (key: string) => boolean): number | null {
  const words = [...text.slice(from, colon).matchAll(/\S+/g)];
  const known = words
    .slice(-LONGEST_LABEL)
    // The end of a number is no number of the label behind it.
    .find(
      ({ 0: word, index }) =>
        (/\p{L}|#/u.test(word) || words.length === 1) && isLabel(labelKey(text.slice(from + index, colon))),
    );
  if (known !== undefined) return from + known.index;
  const separator = from === 0 ? undefined : [...text.slice(from, colon).matchAll(SEPARATOR)].at(-1);
  if (separator === undefined) return null;
  const start = from + separator.index + separator[0].length;
  return /^\s*\p{L}[^\d]*$/u.test(text.slice(start, colon)) ? start : null;
}

/** "Total 119.00", "Invoice number INV-1": the longest known label at the beginning, without a colon. */
function inlineHit(segment: Segment, text: string, isLabel: (key: string) => boolean, from = 0): LabelHit | null {
  const ends = [...text.slice(from).matchAll(/\S+/g)].map((match) => from + match.index + match[0].length);
  for (const end of ends.slice(0, LONGEST_LABEL).toReversed()) {
    const label = text.slice(from, end);
    if (end < text.length && /\p{L}|#/u.test(label) && isLabel(labelKey(label)))
      return hit(segment, label, false, end, text.length, false);
  }
  return null;
}

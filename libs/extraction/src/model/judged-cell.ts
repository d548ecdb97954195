import {
  coerceValue,
  type AnchorClass,
  type AnchoredQuote,
  type CellEvidence,
  type ExtractedValue,
  type TableColumn,
} from '../kit.js';
import { noEvidence } from '../cells/no-evidence.js';
import { saysValue } from './says-value.js';
import type { SaidCell } from './read-answer.js';

/** Where the words of a cell begin. */
export interface Place {
  page: number;
  start: number;
  end: number;
}

/** A cell with what is proved of it. */
export interface JudgedCell extends ExtractedValue {
  /** Of the quote; null: it stands nowhere. */
  at: Place | null;
}

/** Of the three factors of a score: how surely the words are those of the document. */
const ANCHORS: Record<AnchorClass, number> = { exact: 1, normalised: 0.95, fuzzy: 0.8, none: 0.3 };
/** How surely the value is what the words say. */
const SAYS = 1;
const IMPLIES = 0.8;
const AMBIGUOUS = 0.8;
/** A value that is no proof for itself. */
const UNPROVED = 0.3;

/** @param base where the text begins, on its page, in which the quote was looked for */
export function judge(
  column: TableColumn,
  { raw }: SaidCell,
  anchored: AnchoredQuote | null,
  base: number,
  model: string,
): JudgedCell {
  const read = coerceValue(column, raw);
  if ('problem' in read) return nothing(read.problem, model);
  const { value } = read;
  if (value === null) return nothing('not_in_document', model);
  if (anchored === null || anchored.anchor === 'none' || anchored.page === null)
    return { value, evidence: unproved('quote_not_found', model), at: null };
  const support = saysValue(column, value, anchored.quote);
  if (support === 'no') return { value, evidence: unproved('quote_does_not_say_it', model), at: null };
  const { anchor, quote, page, start, end, spans, pageWidth, pageHeight, place, ambiguous } = anchored;
  const score = ANCHORS[anchor] * (support === 'says' ? SAYS : IMPLIES) * (ambiguous ? AMBIGUOUS : 1);
  return {
    value,
    evidence: {
      status: 'anchored',
      quote,
      spans,
      pageWidth,
      pageHeight,
      place,
      ambiguous,
      anchor,
      score,
      method: 'model',
      reason: null,
      model,
    },
    at: { page, start: base + (start ?? 0), end: base + (end ?? 0) },
  };
}

export function nothing(reason: string, model: string | null): JudgedCell {
  return { value: null, evidence: noEvidence('model', reason, model), at: null };
}

/** A value without a place. */
function unproved(reason: string, model: string): CellEvidence {
  return { ...noEvidence('model', reason, model), status: 'unanchored', score: ANCHORS.none * UNPROVED };
}

/** The same with another agreement: a second look, another part of the document or the rules said something of it, too. */
export function agreeing<C extends ExtractedValue>(cell: C, agreement: number, reason: string | null = null): C {
  const { evidence } = cell;
  const score = Math.round(evidence.score * agreement * 1000) / 1000;
  return { ...cell, evidence: { ...evidence, score, reason: reason ?? evidence.reason } };
}

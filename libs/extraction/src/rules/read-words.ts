import type { CoercionHints } from '../coercion/coercion.js';
import { isCurrency } from '../coercion/currencies.js';
import type { CellValue } from '../columns/table-column.js';
import type { AskedField } from './asked-field.js';
import { inOrder, isEastern, isTurned } from './digit-order.js';
import { placeOf, type Place } from './evidence.js';
import { readField } from './read-field.js';
import type { PageLayout, Segment } from './segment.js';

export interface Words {
  segment: Segment;
  from: number;
  to: number;
  /** They, or their label, are read from the right. */
  rtl: boolean;
}

/** Kinds of which every word is one. */
export const WORDS: ReadonlySet<string> = new Set(['text', 'party']);

/** What words of a page say of a column, without the signs that lead to them and end them. */
export function readWords(
  asked: AskedField,
  layout: PageLayout,
  { segment, from, to, rtl }: Words,
  hints: CoercionHints,
): { value: CellValue; place: Place } | { problem: string } {
  const raw = layout.page.text.slice(from, to);
  const lead = /^[\s:：=|–—-]*(?=\p{L}|\p{N}|\p{S})|^\s*[:：=]?\s*/u.exec(raw)?.[0] ?? '';
  // A minus is part of a number.
  const start =
    from +
    (/[-–—]$/.test(lead.trimEnd()) && /^\s*[\p{Sc}\d]/u.test(raw.slice(lead.length))
      ? lead.length - lead.trimStart().length
      : lead.length);
  const text = layout.page.text.slice(start, to);
  // "Inc.", "Ltd." and "No." end with their point; behind a number or a date it is a sentence's.
  const isText = WORDS.has(asked.kind) && asked.column.outputType === 'string' && asked.column.enum === null;
  const last = isText ? /(?<=[\p{L}\p{N}%)])[,;]$/u : /(?<=[\p{L}\p{N}%)])[.,;]$/u;
  const end = start + withoutRate(asked, text.trimEnd().replace(last, '')).length;
  const words = layout.page.text.slice(start, end).replace(/ \| /g, ' ');
  if (layout.page.ocr && WORDS.has(asked.kind) && isNoise(words)) return { problem: 'value_unreadable' };
  if (layout.scale !== null && (rtl || isEastern(words)) && isTurned(asked, words))
    return { problem: 'value_unreadable' };
  const read = readField(asked, asked.kind === 'phone' ? inOrder(words) : words, hints);
  return 'problem' in read ? read : { value: read.value, place: placeOf(layout, segment, start, end) };
}

/** Behind a sum: for what each, or how often. */
const RATE =
  /^(.*\d.{0,12}?) ?(?:(?:\/|per|p\.|each|je|pro|par|por|a|an|لكل|في) ?\p{L}[\p{L}. ]{0,30}|monthly|yearly|annually|quarterly|weekly|monatlich|jährlich|mensuels?|annuels?|mensual(?:es)?|anual(?:es)?|شهريا|شهرياً|سنويا|سنوياً)$/iu;

/** "14,500 SAR monthly", "150 EUR per claim" say a sum where they name its currency; a second number is one of doubt. */
function withoutRate({ kind }: AskedField, text: string): string {
  if (kind !== 'money' && kind !== 'number') return text;
  const sum = RATE.exec(text.slice(0, 100))?.[1]?.trimEnd();
  if (sum === undefined || text.length > 100) return text;
  const unit = sum.replace(/[\d\s.,'٠-٩٬٫-]+/gu, ' ').trim();
  return isCurrency(unit) ? sum : text;
}

/** Lines of a form are recognised as letters: "EE", "اس". */
const isNoise = (words: string) => (words.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < 3;

import { MONTHS } from './months.js';

const NUMERIC =
  /(?<!\p{N})(?:(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)\d\d)(?!\p{N})/u;
/** A year with as many words around it as a date has. */
const YEAR = /(?<!\p{N})(?:19|20)\p{Nd}\p{Nd}(?!\p{N})/gu;
const AROUND = 30;

/** The first date of a text, as it is written there: `2024-03-31`, `31. März 2024`, `March 2024`; null without one. */
export function findDate(text: string): string | null {
  const numeric = NUMERIC.exec(text);
  const named = namedDate(text);
  if (named && (!numeric || named.at < numeric.index)) return named.date;
  return numeric?.[0] ?? null;
}

function namedDate(text: string): { at: number; date: string } | null {
  for (const { index, 0: year } of text.matchAll(YEAR)) {
    const before =
      /(?:(\p{Nd}{1,2})(?:\.|st|nd|rd|th|er|º)?\s+(?:de\s+|of\s+)?)?(\p{L}[\p{L}\p{M}]+)\.?(?:\s+(\p{Nd}{1,2})(?:st|nd|rd|th)?)?,?\s+(?:de\s+|del\s+)?$/u.exec(
        text.slice(Math.max(0, index - AROUND), index),
      );
    if (!before || !MONTHS.has(before[2]!.toLowerCase())) continue;
    return { at: index, date: `${before[0]}${year}`.replace(/\s+/g, ' ').trim() };
  }
  return null;
}

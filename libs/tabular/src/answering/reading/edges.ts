import type { AskedTable } from '../asked-table.js';
import { happeningIn } from './happenings.js';
import type { Mark } from './mark-words.js';
import { addsUp } from './measures.js';
import type { Parts } from './parts.js';
import { isOneEach } from './persons.js';
import { isTime } from './reading.js';
import { isKeyOfSeveral } from './row-nouns.js';

type EdgeMark = Extract<Mark, { kind: 'edge' }>;

/** "Last", "first", of what stands behind it. @returns false where that has no order of its own */
export function takeEdge(parts: Parts, mark: EdgeMark, rest: readonly Mark[], at: number): boolean {
  const next = rest[at + 1];
  // "Who was hired last"
  if (next === undefined || next.kind === 'preposition') return parts.asksWho && endsWithTime(parts, mark.edge);
  if (next.kind === 'amount' && happeningIn(rest[at + 2])) return takeEdgeRows(parts, mark.edge);
  if (happeningIn(next, true)) return takeEdgeRows(parts, mark.edge, isMany(next) ? null : 1);
  // "The last order": the row of the last day.
  if (next.kind === 'table' && rest[at + 2]?.kind !== 'column') return takeEdgeRow(parts, mark, next);
  // "The last 5 orders"
  if (next.kind === 'amount' && rest[at + 2]?.kind === 'table' && rest[at + 3]?.kind !== 'column')
    return takeEdgeRows(parts, mark.edge);
  if (parts.edge || next.kind !== 'column' || (mark.loose && next.columns.some(addsUp))) return false;
  parts.edge = mark.edge;
  return true;
}

/** "The last order": one row, so that nothing but its time orders it; "the last orders": as many as of any order. */
function takeEdgeRow(parts: Parts, { edge, many }: EdgeMark, thing: Mark): boolean {
  if (many ?? isMany(thing)) return takeEdgeRows(parts, edge);
  if (parts.aggregates.length > 0 || parts.top) return false;
  parts.aggregates.push(edge === 'desc' ? 'max' : 'min');
  parts.ofTime = true;
  parts.asksWhich = true;
  return true;
}

/** So many rows of the last days, or of the first ones. */
function takeEdgeRows(parts: Parts, edge: 'asc' | 'desc', count: number | null = null): boolean {
  if (parts.aggregates.length > 0 || parts.top) return false;
  parts.top = { direction: edge, count };
  parts.ofTime = true;
  return true;
}

/** Whether nothing that happens can have several rows, as far as is known. */
export function isRowEach(table: AskedTable): boolean {
  return isOneEach(table) && !table.columns.some(isKeyOfSeveral);
}

/** Endings of what is several, where the word before it is the same for one. */
const PLURALS: Readonly<Record<string, RegExp>> = {
  en: /s$/,
  de: /(?:e[nrs]?|n|s)$/,
  nl: /(?:en|s)$/,
  ar: /^ال|ات$/,
};

/** Whether what stands there is several: "orders". */
export function isMany({ words }: Mark): boolean {
  const { plain, language } = words.at(-1)!;
  return (PLURALS[language] ?? PLURALS['en']!).test(plain) || PLURALS['ar']!.test(plain);
}

/** "Who was hired last": whose time is the last one. */
function endsWithTime(parts: Parts, edge: 'asc' | 'desc'): boolean {
  const [time, ...others] = parts.columns;
  if (!time || others.length > 0 || !isTime(time) || parts.aggregates.length > 0 || parts.top) return false;
  parts.columns = [];
  parts.happening = time;
  parts.top = { direction: edge, count: 1 };
  parts.ofTime = true;
  return true;
}

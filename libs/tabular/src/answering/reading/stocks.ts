import type { AskedColumn } from '../asked-table.js';
import { isMeasured } from './conditions.js';
import { labelOf } from './reading.js';
import type { Vocabulary } from './vocabulary.js';
import { nameWords, type Word } from './words.js';

const SOLD_OUT = ['out of stock', 'sold out'];
const HELD =
  /^(?:stock|inventory|hand|available|availability|bestand|lagerbestand|voorraad|existencias|giacenza|estoque)$/;
/** At how much something has to be ordered, or how much of it there may be at most, is not what there is. */
const LIMITS = /^(?:min|minimum|max|maximum|reorder|safety|target|level|value|price|cost|unit)$/;

const REORDERED = /^(?:reorder|reordering|restock|safety|meldebestand|mindestbestand|sicherheitsbestand)$/;
const LEAST = /^(?:min|minimum|mindest|minimal|minimo|minima|minimale)$/;
const LEVEL = /^(?:level|point|threshold|limit|quantity|qty|stock|inventory|bestand|menge)$/;

/** How much there is of something. */
export function isHeld(column: AskedColumn): boolean {
  const parts = nameWords(labelOf(column));
  return isMeasured(column) && parts.some((part) => HELD.test(part)) && !parts.some((part) => LIMITS.test(part));
}

/** At how much it has to be ordered again. */
export function isReorderLevel(column: AskedColumn): boolean {
  const parts = nameWords(labelOf(column));
  const isLeast = parts.some((part) => LEAST.test(part)) && parts.some((part) => LEVEL.test(part));
  // What has to be ordered at least says nothing of what there is.
  const isOrder = parts.includes('order') || parts.includes('purchase');
  return isMeasured(column) && (parts.some((part) => REORDERED.test(part)) || (isLeast && !isOrder));
}

/** "Out of stock": of how many words, and the columns that say how much there is. */
export function soldOutAt(
  words: readonly Word[],
  at: number,
  { table }: Vocabulary,
): { columns: AskedColumn[]; length: number } | null {
  const plain = words.slice(at, at + 3).map((word) => (word.quoted ? '' : word.plain));
  const phrase = SOLD_OUT.find((own) => own.split(' ').every((part, next) => plain[next] === part));
  if (phrase === undefined || words[at]!.language !== 'en') return null;
  const columns = table.columns.filter(isHeld);
  return columns.length === 0 ? null : { columns, length: phrase.split(' ').length };
}

import type { AskedColumn } from '../asked-table.js';
import { numberedBy } from './row-nouns.js';
import { quantityOf, worthOf } from './synonyms.js';
import type { Vocabulary } from './vocabulary.js';
import { sameWord, type Word } from './words.js';

/** "Order value", «Bestellwert», where each row is an order, or one of its lines: then `each` numbers the orders. */
export function worthAt(
  words: readonly Word[],
  at: number,
  vocabulary: Vocabulary,
): { column: AskedColumn; each?: AskedColumn; length: number } | null {
  const { table } = vocabulary;
  const { norm, quoted, language } = words[at]!;
  if (quoted) return null;
  const behind = language === 'en' && /^(?:value|total|size)$/.test(words[at + 1]?.norm ?? '');
  const joined = language === 'de' && /^(?:bestell|auftrags|rechnungs|buchungs|einkaufs)(?:wert|summe)$/.test(norm);
  if (!behind && !joined) return null;
  const named = (thing: string) => (behind ? sameWord(norm, thing) : thing.startsWith(norm.slice(0, 5)));
  const numbering = table.columns.filter((column) => {
    const thing = column.unique === undefined ? null : numberedBy(column);
    return thing !== null && named(thing);
  });
  const [key, ...others] = numbering;
  const column = worthOf(table) ?? vocabulary.arithmetic.takings;
  if (!column || others.length > 0 || (!key && vocabulary.tableAt(words, at) !== 1)) return null;
  // "Order size" may be that of pieces.
  if (behind && words[at + 1]!.norm === 'size' && quantityOf(table)) return null;
  return { column, length: behind ? 2 : 1, ...(key?.unique === false ? { each: key } : {}) };
}

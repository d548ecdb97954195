import type { AskedColumn, AskedTable } from '../asked-table.js';
import { askBack } from './asking-back.js';
import type { Amount } from './amounts.js';
import { labelOf } from './reading.js';

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/(?<!\p{L})(?:mio|mn|mln|millions?|millionen|millones|milioni|milhões|miljoen)(?!\p{L})/iu, 1e6],
  [/(?<!\p{L})(?:mrd|mld|bn|billions?|milliarden|milliards|miliardi|miljard)(?!\p{L})/iu, 1e9],
  [
    /(?<!\p{L})(?:tsd|thousands?|tausend|milliers|migliaia|duizend)(?!\p{L})|[([]\s*'?0{3}s?\s*[)\]]|(?<!\p{L})[kt][€$£]/iu,
    1e3,
  ],
];

/** Of how many each one of the column's numbers is, as its header says: `Budget (Mio. EUR)`. */
export function scaleOf({ originalName }: AskedColumn): number {
  return SCALES.find(([sign]) => sign.test(originalName))?.[1] ?? 1;
}

/** `10 million` is 10 in a column of millions, as is a bare `10`; of `10 euros` nobody knows. @throws Unclear */
export function scaled(column: AskedColumn, { number, unit, text }: Amount, scale: number, table: AskedTable): number {
  const inWords = /\p{L}/u.test(text);
  if (inWords && number >= scale) return Number((number / scale).toPrecision(15));
  if (unit === null && !inWords && number < scale) return number;
  return askBack(
    table,
    text,
    [number, number / scale].map((own) => [`${labelOf(column)} = ${own}`, own]),
    'value',
  );
}

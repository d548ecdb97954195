import type { Cell } from '../../query/query-messages.js';
import { toUnit } from './amounts.js';
import { cellText } from './describe.js';
import type { LanguageCode } from './lexicon/languages.js';
import type { Group } from './reading.js';

/**
 * A cell as an answer shows it: `1,234.50 $`, `12.5 %`, `12,345.5`, `—` for nothing. Where stops group digits and a comma
 * begins decimals, as in German, nothing is grouped (`12345.5`), so that it is read alike by all.
 */
export function shownFigure(cell: Cell, unit: string | undefined, language: LanguageCode): string {
  if (cell === null) return '—';
  if (typeof cell !== 'number') return cellText(typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
  if (unit === undefined) return digits(cell, { maximumFractionDigits: 4 }, Math.abs(cell) >= 10_000, language);
  const code = toUnit(unit);
  const isMoney = code !== null && code !== '%';
  const decimals = {
    minimumFractionDigits: isMoney && !Number.isInteger(cell) ? 2 : 0,
    maximumFractionDigits: isMoney ? 2 : 4,
  };
  return `${digits(cell, decimals, true, language)} ${cellText(unit)}`;
}

/** What rows were put together by, as an answer shows it: `2025-02` of a month, `2025-Q1` of a quarter. */
export function shownKey(cell: Cell, group: Group | undefined, language: LanguageCode): string {
  const [, year, month] = /^(\d{4})-(\d\d)-/.exec(String(cell)) ?? [];
  if (year !== undefined && group?.unit === 'month') return `${year}-${month}`;
  if (year !== undefined && group?.unit === 'quarter') return `${year}-Q${Math.ceil(Number(month) / 3)}`;
  return shownFigure(cell, group?.column.unit, language);
}

function digits(value: number, decimals: Intl.NumberFormatOptions, mayGroup: boolean, language: LanguageCode): string {
  const isCommon = language === 'en' || language === 'ar';
  const text = value.toLocaleString('en-US', { ...decimals, useGrouping: mayGroup && isCommon });
  // Three digits behind a stop are thousands there.
  return isCommon ? text : text.replace(/\.\d{3}$/, '$&0');
}

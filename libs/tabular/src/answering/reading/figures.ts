import type { Cell } from '../../query/query-messages.js';
import { toUnit } from './amounts.js';
import { cellText } from './describe.js';

/** A cell as an answer shows it: `1,234.50 $`, `12.5 %`, `12,345.5`, `—` for nothing. */
export function shownFigure(cell: Cell, unit: string | undefined): string {
  if (cell === null) return '—';
  if (typeof cell !== 'number') return cellText(typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
  if (unit === undefined)
    return cell.toLocaleString('en-US', { maximumFractionDigits: 4, useGrouping: Math.abs(cell) >= 10_000 });
  const code = toUnit(unit);
  const isMoney = code !== null && code !== '%';
  return `${cell.toLocaleString('en-US', { minimumFractionDigits: isMoney && !Number.isInteger(cell) ? 2 : 0, maximumFractionDigits: isMoney ? 2 : 4 })} ${cellText(unit)}`;
}

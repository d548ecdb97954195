import { type TimeFormat, timeFormatOf } from '@app/common';
import { SSF } from '@e965/xlsx';
import { isDateFormat } from './cell-text.js';
import { numberFormatOf, type NumberFormat } from './number-format.js';
import type { XlsxParts } from '../../spreadsheets/xlsx-parts.js';

/** What the style of a cell makes of its number. */
export interface CellStyle {
  isDate: boolean;
  time: TimeFormat | null;
  format: NumberFormat | null;
}

/** By the index of a cell's style. */
export async function readStyles(parts: XlsxParts, part: string | undefined): Promise<CellStyle[]> {
  const formats = new Map<number, string>();
  const styles: number[] = [];
  let inCells = false;
  if (part !== undefined)
    await parts.read(part, {
      open(name, { numFmtId = '0', formatCode = '' }) {
        if (name === 'numFmt') formats.set(Number(numFmtId), formatCode);
        else if (name === 'cellXfs') inCells = true;
        else if (name === 'xf' && inCells) styles.push(Number(numFmtId));
      },
      close(name) {
        if (name === 'cellXfs') inCells = false;
      },
    });
  const builtIn = SSF.get_table() as Record<number, string | undefined>;
  const byId = new Map<number, CellStyle>();
  for (const id of new Set(styles)) {
    const code = formats.get(id) ?? builtIn[id] ?? 'General';
    const isDate = isDateFormat(code);
    byId.set(id, { isDate, time: isDate ? timeFormatOf(code) : null, format: isDate ? null : numberFormatOf(code) });
  }
  return styles.map((id) => byId.get(id)!);
}

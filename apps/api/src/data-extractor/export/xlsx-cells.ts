import type { TableColumn } from '@app/extraction';
import { withoutFormula } from '../../http/csv.js';

/** What one cell can hold. */
const MAX_LENGTH = 32_767;

/** Indexes into the formats of `xlsx-workbook.ts`. */
export const STYLES = { plain: 0, header: 1, date: 2, moment: 3, percent: 4, money: 5 } as const;
export type Style = (typeof STYLES)[keyof typeof STYLES];

/** What stands in a cell: text, a number, yes or no, or nothing. */
export interface SheetCell {
  value: string | number | boolean | null;
  style: Style;
}

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** Day 0 of spreadsheets that count from 1900, of which they take 1900 for a leap year: right from March of it on. */
const EPOCH = Date.UTC(1899, 11, 30);
const FIRST = Date.UTC(1900, 2, 1);

export const textCell = (text: string, style: Style = STYLES.plain): SheetCell => ({
  value: withoutFormula(text),
  style,
});

/** A value in its own type: numbers, days and moments can be counted with. */
export function toSheetCell(value: unknown, column: Pick<TableColumn, 'format'> | null): SheetCell {
  if (value === null || value === undefined) return { value: null, style: STYLES.plain };
  if (typeof value === 'boolean') return { value, style: STYLES.plain };
  if (typeof value === 'number') return { value, style: numberStyle(column) };
  if (typeof value !== 'string') return textCell(toText(value));
  const isTime = column?.format === 'date' || column?.format === 'datetime';
  const serial = isTime ? toSerial(value) : null;
  if (serial === null) return textCell(value);
  return { value: serial, style: column?.format === 'date' ? STYLES.date : STYLES.moment };
}

function numberStyle(column: Pick<TableColumn, 'format'> | null): Style {
  if (column?.format === 'percent') return STYLES.percent;
  return column?.format === 'currency' ? STYLES.money : STYLES.plain;
}

/** Lists of simple things as people write them, all else as JSON. */
function toText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(String).join('; ');
  return JSON.stringify(value);
}

function toSerial(text: string): number | null {
  const at = Date.parse(DATE.test(text) ? `${text}T00:00:00Z` : text);
  return Number.isNaN(at) || at < FIRST || at > Date.UTC(9999, 11, 31) ? null : (at - EPOCH) / DAY_MS;
}

/** The cell in the XML of its sheet. @param reference such as `B7` */
export function cellXml({ value, style }: SheetCell, reference: string): string {
  if (value === null) return '';
  const at = `<c r="${reference}"${style === STYLES.plain ? '' : ` s="${style}"`}`;
  if (typeof value === 'number') return Number.isFinite(value) ? `${at}><v>${value}</v></c>` : '';
  if (typeof value === 'boolean') return `${at} t="b"><v>${value ? 1 : 0}</v></c>`;
  return `${at} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cut(value))}</t></is></c>`;
}

const cut = (text: string): string =>
  text.length <= MAX_LENGTH ? text : text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');

const PLAIN = /^[\t\n\x20-\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5e\x60-\x7e\u00a0-\u{d7ff}]*$/u;

/** What XML cannot hold goes; `_x0041_` would be read as the character that it names. */
export function escapeXml(text: string): string {
  // Nearly all are plain, and there may be millions of them.
  if (PLAIN.test(text)) return text;
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '')
      .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\r', '_x000D_')
  );
}

/** 0 is A, 26 is AA. */
export function columnLetters(index: number): string {
  let letters = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

import { SSF } from '@e965/xlsx';
import { dateText, isDateFormat, isoText } from './cell-text.js';
import { MOST_MERGES, parseMerge, type Merge } from './merges.js';
import { numberFormatOf, numberText, type NumberFormat } from './number-format.js';
import { SheetRecords, type WrittenSheet } from './sheet-records.js';
import type { Workbook } from './workbook.js';
import { XlsxParts } from './xlsx-parts.js';

/** Columns beyond Excel's last are no columns. */
const MOST_COLUMNS = 16_384;

/** XLSX, read as a stream: of a sheet only one row is in memory, besides the texts that cells share. */
export class XlsxWorkbook implements Workbook {
  private sharedTexts: string[] | null = null;

  private constructor(
    private readonly parts: XlsxParts,
    private readonly sheets: readonly { name: string; part: string }[],
    private readonly textsPart: string | undefined,
    /** By the index of a cell's style. */
    private readonly styles: readonly CellStyle[],
    private readonly date1904: boolean,
  ) {}

  static async open(path: string): Promise<XlsxWorkbook> {
    const parts = await XlsxParts.open(path);
    const root = [...(await parts.relationsOf('')).values()].find(({ type }) => type === 'officeDocument');
    const main = root?.target ?? 'xl/workbook.xml';
    const relations = await parts.relationsOf(main);
    const partOf = (type: string) => [...relations.values()].find((relation) => relation.type === type)?.target;
    const sheets: { name: string; part: string }[] = [];
    let date1904 = false;
    await parts.read(main, {
      open(name, attributes) {
        if (name === 'workbookPr') date1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
        if (name !== 'sheet') return;
        const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
        const relation = relations.get(id);
        // Sheets that only show a chart have no cells.
        if (relation?.type === 'worksheet') sheets.push({ name: attributes.name ?? '', part: relation.target });
      },
    });
    if (sheets.length === 0) throw new Error('The workbook names no sheets.');
    return new XlsxWorkbook(
      parts,
      sheets,
      partOf('sharedStrings'),
      await readStyles(parts, partOf('styles')),
      date1904,
    );
  }

  get sheetNames(): readonly string[] {
    return this.sheets.map(({ name }) => name);
  }

  close(): void {
    this.parts.close();
  }

  async writeSheet(index: number, path: string, maxColumns: number): Promise<WrittenSheet | null> {
    this.sharedTexts ??= await readSharedTexts(this.parts, this.textsPart);
    const records = new SheetRecords(path, maxColumns);
    const merges: Merge[] = [];
    let row = -1;
    let cells: (string | undefined)[] = [];
    let cell = { column: -1, type: '', style: 0 };
    let text = '';
    // Within a value or an inline text; the text of formulas and of phonetic hints is not the cell's.
    let takesText = false;
    let hints = 0;
    await this.parts.read(this.sheets[index]!.part, {
      open: (name, attributes) => {
        if (name === 'row') {
          row = attributes.r === undefined ? row + 1 : Number(attributes.r) - 1;
          cells = [];
          cell.column = -1;
        } else if (name === 'c') {
          const column = attributes.r === undefined ? cell.column + 1 : columnOf(attributes.r);
          cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) };
          text = '';
        } else if (name === 'rPh') hints += 1;
        else if (name === 'mergeCell' && merges.length < MOST_MERGES) {
          const merge = parseMerge(attributes.ref ?? '');
          if (merge !== null) merges.push(merge);
        } else if (name === 'v' || name === 't') takesText = hints === 0;
      },
      close: (name) => {
        if (name === 'v' || name === 't') takesText = false;
        else if (name === 'rPh') hints -= 1;
        else if (name === 'c' && text !== '' && cell.column < MOST_COLUMNS)
          cells[cell.column] = this.textOf(cell.type, cell.style, text);
        else if (name === 'row') records.add(row, cells);
      },
      text: (piece) => {
        if (takesText) text += piece;
      },
      pause: () => records.flush(),
    });
    return records.end(merges);
  }

  private textOf(type: string, style: number, text: string): string | undefined {
    switch (type) {
      case 's':
        return this.sharedTexts?.[Number(text)];
      case 'str':
      case 'inlineStr':
        return unescaped(text);
      case 'b':
        return ['1', 'true'].includes(text.trim()) ? 'true' : 'false';
      case 'd':
        return isoText(text.trim());
      // What people see, such as "#DIV/0!", is no value.
      case 'e':
        return undefined;
      default:
        return this.numberOf(text.trim(), this.styles[style]);
    }
  }

  /** Files hold what a double is in binary, such as 0.30000000000000004; the shortest text of the same double is read. */
  private numberOf(text: string, style: CellStyle | undefined): string {
    const value = Number(text);
    if (!Number.isFinite(value)) return text;
    return style?.isDate ? dateText(value, this.date1904) : numberText(value, style?.format ?? null);
  }
}

interface CellStyle {
  isDate: boolean;
  format: NumberFormat | null;
}

/** The column of a cell's name, from 0: 27 for `AB12`. */
function columnOf(name: string): number {
  let column = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at) & ~32;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return column - 1;
}

/** Characters that XML cannot hold are written as `_x000D_`. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .replaceAll('\u0000', '')
    : text;

async function readSharedTexts(parts: XlsxParts, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  let text = '';
  let takesText = false;
  let hints = 0;
  if (part !== undefined)
    await parts.read(part, {
      open(name) {
        if (name === 'si') text = '';
        else if (name === 'rPh') hints += 1;
        else if (name === 't') takesText = hints === 0;
      },
      close(name) {
        if (name === 't') takesText = false;
        else if (name === 'rPh') hints -= 1;
        else if (name === 'si') texts.push(unescaped(text));
      },
      text(piece) {
        if (takesText) text += piece;
      },
    });
  return texts;
}

async function readStyles(parts: XlsxParts, part: string | undefined): Promise<CellStyle[]> {
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
    byId.set(id, { isDate, format: isDate ? null : numberFormatOf(code) });
  }
  return styles.map((id) => byId.get(id)!);
}

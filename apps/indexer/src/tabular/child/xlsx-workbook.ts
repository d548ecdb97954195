import { calculate, cellKey, type CalculatedValues } from '../../spreadsheets/calculate.js';
import { dateText, isoText } from './cell-text.js';
import type { CalculatedValue } from '../../spreadsheets/formula-messages.js';
import type { Merge } from '../../spreadsheets/merge-range.js';
import { numberText } from './number-format.js';
import { CellFaults, SheetRecords, type WrittenSheet } from './sheet-records.js';
import type { Workbook } from './workbook.js';
import { collectFormulas } from '../../spreadsheets/xlsx-formulas.js';
import { XlsxParts } from '../../spreadsheets/xlsx-parts.js';
import { readFacts, type WorkbookFacts } from '../../spreadsheets/xlsx-facts.js';
import { isMissing, readSheet, type RawCell } from '../../spreadsheets/xlsx-sheet.js';
import { readStyles, type CellStyle } from './xlsx-styles.js';
import { readSharedTexts, unescaped } from '../../spreadsheets/xlsx-texts.js';

/** XLSX and XLSM, read as a stream: of a sheet only one row is in memory, besides the texts that cells share. Macros are never looked at. */
export class XlsxWorkbook implements Workbook {
  private sharedTexts: string[] | null = null;
  private calculated: Promise<CalculatedValues> | null = null;

  private constructor(
    private readonly parts: XlsxParts,
    private readonly facts: WorkbookFacts,
    private readonly textsPart: string | undefined,
    private readonly styles: readonly CellStyle[],
    private readonly formulaProgram: string | undefined,
  ) {}

  /** @param formulaProgram without it, formulas that have no value in the file are not computed */
  static async open(path: string, formulaProgram?: string): Promise<XlsxWorkbook> {
    const parts = await XlsxParts.open(path);
    const root = [...(await parts.relationsOf('')).values()].find(({ type }) => type === 'officeDocument');
    const main = root?.target ?? 'xl/workbook.xml';
    const relations = await parts.relationsOf(main);
    const partOf = (type: string) => [...relations.values()].find((relation) => relation.type === type)?.target;
    const facts = await readFacts(parts, main, relations);
    if (facts.sheets.length === 0) throw new Error('The workbook names no sheets.');
    const styles = await readStyles(parts, partOf('styles'));
    return new XlsxWorkbook(parts, facts, partOf('sharedStrings'), styles, formulaProgram);
  }

  get sheetNames(): readonly string[] {
    return this.facts.sheets.map(({ name }) => name);
  }

  close(): void {
    this.parts.close();
  }

  async writeSheet(index: number, path: string, maxColumns: number): Promise<WrittenSheet | null> {
    this.sharedTexts ??= await readSharedTexts(this.parts, this.textsPart);
    const faults = new CellFaults();
    const written = await this.write(index, path, maxColumns, faults, null);
    if (faults.missing.count === 0 || this.formulaProgram === undefined) return written;
    this.calculated ??= this.calculate(this.formulaProgram);
    const values = await this.calculated;
    return values.size === 0 ? written : this.write(index, path, maxColumns, new CellFaults(), values);
  }

  private async write(
    index: number,
    path: string,
    maxColumns: number,
    faults: CellFaults,
    values: CalculatedValues | null,
  ): Promise<WrittenSheet | null> {
    const records = new SheetRecords(path, maxColumns);
    const merges: Merge[] = [];
    let cells: (string | undefined)[] = [];
    await readSheet(this.parts, this.facts.sheets[index]!.part, {
      cell: (cell) => {
        if (isMissing(cell, this.facts.uncalculated)) {
          const value = values?.get(cellKey(index, cell.row, cell.column)) ?? null;
          if (value === null) faults.missing.add(cell.row, cell.column);
          else if (value.type === 'error') faults.errors.add(cell.row, cell.column);
          else cells[cell.column] = this.calculatedText(value, cell.style);
        } else if (cell.type === 'e') faults.errors.add(cell.row, cell.column);
        else if (cell.text !== '') cells[cell.column] = this.textOf(cell);
      },
      endRow: (row) => {
        records.add(row, cells);
        cells = [];
      },
      merge: (merge) => merges.push(merge),
      pause: () => records.flush(),
    });
    return records.end(merges, faults);
  }

  private async calculate(program: string): Promise<CalculatedValues> {
    const request = await collectFormulas(this.parts, this.facts, this.sharedTexts ?? []);
    return request === null ? new Map() : calculate(program, request);
  }

  private textOf({ type, style, text }: RawCell): string | undefined {
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
      default:
        return this.numberOf(text.trim(), style);
    }
  }

  private calculatedText(value: Exclude<CalculatedValue, null>, style: number): string {
    return value.type === 'number' ? this.numberOf(String(value.value), style) : String(value.value);
  }

  /** Files hold what a double is in binary, such as 0.30000000000000004; the shortest text of the same double is read. */
  private numberOf(text: string, index: number): string {
    const value = Number(text);
    const style = this.styles[index];
    if (!Number.isFinite(value)) return text;
    return style?.isDate ? dateText(value, this.facts.date1904, style.time) : numberText(value, style?.format ?? null);
  }
}

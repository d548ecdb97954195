import { cutText } from '@app/common';
import type { SourceCell, SourceColumn, SourceResult } from '../shapes/result-shapes.js';

export interface ResultBounds {
  rows: number;
  cellCharacters: number;
  resultCharacters: number;
}

/** Takes rows while there is room for them. */
export class ResultCollector {
  private readonly rows: SourceCell[][] = [];
  private characters = 0;
  private isCut = false;

  constructor(
    private readonly columns: SourceColumn[],
    private readonly bounds: ResultBounds,
  ) {
    this.columns = columns.map(({ name, type }) => ({ name: this.short(clean(name)), type }));
  }

  /** @returns whether a further row may be looked at */
  add(cells: readonly SourceCell[]): boolean {
    if (this.rows.length >= this.bounds.rows) return this.cut();
    const row = cells.map((cell) => this.bounded(cell));
    this.characters += JSON.stringify(row).length + 1;
    if (this.characters > this.bounds.resultCharacters) return this.cut();
    this.rows.push(row);
    return true;
  }

  result(): SourceResult {
    return { columns: this.columns, rows: this.rows, truncated: this.isCut };
  }

  private cut(): false {
    this.isCut = true;
    return false;
  }

  private bounded(cell: SourceCell): SourceCell {
    if (typeof cell === 'string') return this.short(clean(cell));
    if (cell === null || typeof cell !== 'object') return cell;
    const text = JSON.stringify(cell);
    // JSON that is cut is none: what is left of it is a text.
    if (text.length > this.bounds.cellCharacters) return this.short(clean(text));
    return text.includes('\\u0000') ? (JSON.parse(text.replaceAll('\\u0000', '\\ufffd')) as SourceCell) : cell;
  }

  private short(text: string): string {
    const { cellCharacters } = this.bounds;
    if (text.length <= cellCharacters) return text;
    this.isCut = true;
    return `${cutText(text, cellCharacters)}…`;
  }
}

/** Postgres, where results are cached, keeps no null characters and no halves. */
function clean(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

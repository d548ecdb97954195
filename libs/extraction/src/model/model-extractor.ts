import { DomainError } from '@app/common';
import { faultOf, type LanguageModel, type ModelRequest } from '@app/integrations';
import { contextTokensOf, estimatePromptTokens, isTooLong, roomFor } from '@app/models';
import type { AnchoredQuote, QuoteToAnchor, RowMode, SourcePage, TableColumn } from '../kit.js';
import {
  messagesOf,
  schemaOf,
  systemOf,
  toAskedColumns,
  type AskedColumn,
  type AskedWindow,
} from './extraction-prompt.js';
import { judge, nothing, type JudgedCell } from './judged-cell.js';
import { mergePasses, mergeWindows } from './merge-cells.js';
import { mergeItems, type JudgedRow } from './merge-items.js';
import { ModelStoppedError } from './model-stopped.error.js';
import { halve, toWindows, type PageWindow } from './page-windows.js';
import { readAnswer, toOneRow, type SaidRow } from './read-answer.js';
import { relevantPages } from './relevant-pages.js';

export interface ModelExtraction {
  pages: readonly SourcePage[];
  columns: readonly TableColumn[];
  rowMode: RowMode;
  model: LanguageModel;
  /** On whose account. */
  userId: number;
  /** Finds quotes in pages, where a hostile document can do no harm. */
  anchor: (pages: readonly SourcePage[], quotes: readonly QuoteToAnchor[]) => Promise<AnchoredQuote[]>;
  signal: AbortSignal;
}

/** Longer documents are read up to here: some millions of characters. */
const MOST_WINDOWS = 60;
/** Of what was sent, after an endpoint has refused it as too long; so often. */
const SHRINK = 0.6;
const MOST_SHRINKS = 4;
/** Line items make long answers: of a window, so much more is written than one row would be. */
const ITEMS_SHARE = 0.5;
const PURPOSE = 'extraction';

/**
 * Has a language model fill columns from a document: values with verbatim quotes, which count as far as they are found in
 * the document's own words. What is missing or unproved is asked for once more.
 */
export class ModelExtractor {
  private readonly model: LanguageModel;
  private contextTokens: number;
  /** Of the last request. */
  private sentTokens = 0;

  constructor(private readonly job: ModelExtraction) {
    this.model = job.model;
    this.contextTokens = Math.min(contextTokensOf(job.model.descriptor), job.model.takes(job.userId));
  }

  /**
   * Rows in the order of the document; each with every column.
   * @throws ModelStoppedError with what was found until then; the signal's reason
   */
  async extract(): Promise<Map<string, JudgedCell>[]> {
    const { columns, pages, rowMode } = this.job;
    const asked = toAskedColumns(columns);
    if (pages.every(({ text }) => text.trim() === '')) return rowMode === 'items' ? [] : [this.whole(new Map())];
    const windows: JudgedRow[][] = [];
    try {
      await this.read(pages, asked, { isSecondPass: false }, windows);
      if (rowMode === 'items') return mergeItems(windows).map((row) => this.whole(row));
      const first = this.oneRow(windows);
      return [this.whole(await this.lookAgain(first))];
    } catch (error) {
      this.job.signal.throwIfAborted();
      if (!(error instanceof DomainError)) throw error;
      const found = rowMode === 'items' ? mergeItems(windows) : windows.length > 0 ? [this.oneRow(windows)] : [];
      throw new ModelStoppedError(
        error,
        found.map((row) => this.whole(row)),
      );
    }
  }

  /** Missing and unproved cells of a document that is one row. */
  private async lookAgain(first: JudgedRow): Promise<JudgedRow> {
    const open = this.job.columns.filter(({ name }) => first.get(name)?.evidence.status !== 'anchored');
    if (open.length === 0) return first;
    const asked = toAskedColumns(open);
    const tokens = this.roomOf(asked, true);
    const pages = relevantPages(this.job.pages, open, first, tokens);
    if (pages.length === 0) return first;
    const windows: JudgedRow[][] = [];
    await this.read(pages, asked, { isSecondPass: true }, windows);
    const second = this.oneRow(windows);
    return new Map(
      this.job.columns.flatMap(({ name }) => {
        const cell = mergePasses(first.get(name), second.get(name));
        return cell ? [[name, cell] as const] : [];
      }),
    );
  }

  /** Reads windows into `found`, one after the other, smaller ones where the endpoint says that one is too much. */
  private async read(
    pages: readonly SourcePage[],
    asked: readonly AskedColumn[],
    { isSecondPass }: { isSecondPass: boolean },
    found: JudgedRow[][],
  ): Promise<void> {
    for (let shrinks = 0; ; shrinks += 1) {
      const tokens = this.roomOf(asked, isSecondPass);
      const windows = toWindows(pages, tokens).slice(0, MOST_WINDOWS);
      const isPart = windows.length > 1;
      try {
        for (const window of windows)
          found.push(
            ...(await this.readWindow({ columns: asked, rowMode: this.job.rowMode, window, isPart, isSecondPass })),
          );
        return;
      } catch (error) {
        if (!isTooLong(error) || shrinks === MOST_SHRINKS) throw error;
        this.contextTokens = Math.floor(Math.min(this.contextTokens, this.sentTokens) * SHRINK);
        found.length = 0;
      }
    }
  }

  /** An answer that was cut off is asked for in halves. */
  private async readWindow(asked: AskedWindow): Promise<JudgedRow[][]> {
    const { signal, userId } = this.job;
    const request: ModelRequest & { outputSchema: Record<string, unknown> } = {
      system: systemOf(asked),
      messages: messagesOf(asked),
      outputSchema: schemaOf(asked.columns),
      temperature: 0,
      usage: { userId, purpose: PURPOSE },
      signal,
    };
    this.sentTokens = estimatePromptTokens(request);
    try {
      const { object, model } = await this.model.generate(request);
      return [await this.judgeAll(readAnswer(object, asked.columns), asked.window, model)];
    } catch (error) {
      const halves = isUnreadable(error) && asked.rowMode === 'items' ? halve(asked.window) : null;
      if (!halves) throw error;
      const rows: JudgedRow[][] = [];
      for (const window of halves) rows.push(...(await this.readWindow({ ...asked, window, isPart: true })));
      return rows;
    }
  }

  /** Quotes are looked for in what the model was shown of the document, in the order of its rows. */
  private async judgeAll(said: readonly SaidRow[], window: PageWindow, model: string): Promise<JudgedRow[]> {
    const rows = this.job.rowMode === 'items' || said.length <= 1 ? said : [toOneRow(said)];
    const quotes: QuoteToAnchor[] = [];
    const places: (readonly [number, string])[] = [];
    for (const [at, row] of rows.entries())
      for (const [name, { quote, page, raw }] of row) {
        if (quote.trim() === '') continue;
        const value = typeof raw === 'string' ? { value: raw } : {};
        const item = this.job.rowMode === 'items' ? { row: at, column: name } : {};
        quotes.push({ quote, ...item, ...value, ...(page !== null && { page }) });
        places.push([at, name]);
      }
    const pages = window.map(({ page }) => page);
    const anchored = quotes.length === 0 ? [] : await this.job.anchor(pages, quotes);
    const byCell = new Map(places.map(([at, name], index) => [`${at} ${name}`, anchored[index] ?? null]));
    const bases = new Map(window.map(({ page: { number }, base }) => [number, base]));
    const columns = new Map(this.job.columns.map((column) => [column.name, column]));
    return rows.map(
      (row, at) =>
        new Map(
          [...row].map(([name, cell]) => {
            const quote = byCell.get(`${at} ${name}`) ?? null;
            const base = quote?.page ? (bases.get(quote.page) ?? 0) : 0;
            return [name, judge(columns.get(name)!, cell, quote, base, model)];
          }),
        ),
    );
  }

  private oneRow(windows: readonly (readonly JudgedRow[])[]): JudgedRow {
    const rows = windows.flat();
    return new Map(
      this.job.columns.flatMap(({ name }) => {
        const cell = mergeWindows(rows.flatMap((row) => row.get(name) ?? []));
        return cell ? [[name, cell] as const] : [];
      }),
    );
  }

  /** With a cell for each column. */
  private whole(row: JudgedRow): Map<string, JudgedCell> {
    const { value } = this.model.descriptor;
    return new Map(this.job.columns.map(({ name }) => [name, row.get(name) ?? nothing('not_in_document', value)]));
  }

  /** Tokens of the document that fit beside the instructions and the answer. */
  private roomOf(columns: readonly AskedColumn[], isSecondPass: boolean): number {
    const { rowMode } = this.job;
    const system = `${systemOf({ columns, rowMode, isPart: true, isSecondPass })}\n${JSON.stringify(schemaOf(columns))}`;
    const room = roomFor(this.model.descriptor, this.contextTokens, { system });
    return rowMode === 'items' ? Math.floor(room * ITEMS_SHARE) : room;
  }
}

/** The model answered, but with no JSON: mostly since its answer was cut off. */
function isUnreadable(error: unknown): boolean {
  const fault = faultOf(error);
  return fault !== null && !fault.isOfEndpoint && fault.status === null;
}

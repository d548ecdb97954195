import type { ExtractedPage, ExtractionStage } from '../extracted-page.js';
import type { EnclosedFile } from './enclosed-file.js';

/** Where a parser puts the pages of its file. */
export interface PageSink {
  /** Whether pages are to come with the places of their words and cells. */
  readonly wantsGeometry: boolean;
  /** Set by the parser: pages whose letters cannot be known without OCR, which was off. */
  unreadablePages: number;

  /**
   * Sends the next page; its number is given here. Resolves when another one may be sent.
   * @throws ExtractionError `too_large` beyond the limits of the request
   */
  emit(page: Omit<ExtractedPage, 'number'>, stage?: ExtractionStage): Promise<void>;

  /**
   * Declares the number of pages before the first, so that a hopeless file fails at once. Tables do not: how their
   * rows are parted is our choice, and the limit of characters holds for them. Nor do files that others are within.
   * @throws ExtractionError `too_large`
   */
  announce(total: number): void;

  /**
   * Reads files that are within this one, in their order; their pages follow. One that cannot be read is told, and
   * fails nothing.
   */
  attach(files: readonly EnclosedFile[]): Promise<void>;
}

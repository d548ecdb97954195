import { PAGES_IN_FLIGHT } from '../child-messages.js';
import type { ChildMessage, ParseRequest } from '../child-messages.js';
import type { ExtractedPage, ExtractionStage } from '../extracted-page.js';
import { ExtractionError } from '../extraction-error.js';

/** Hands pages to the parent, not faster than it stores them, and keeps count. */
export class PageSink {
  /** Set by parsers whose format tells it in advance. */
  total: number | null = null;
  private pages = 0;
  private characters = 0;
  private hasText = false;
  private unacknowledged = 0;
  private wake: (() => void) | null = null;

  constructor(
    private readonly request: ParseRequest,
    private readonly send: (message: ChildMessage) => void,
  ) {}

  /**
   * Sends the next page; its number is given here. Resolves when another one may be sent.
   * @throws ExtractionError `too_large` beyond the limits of the request
   */
  async emit(
    page: Omit<ExtractedPage, 'number'>,
    stage: ExtractionStage = page.ocr ? 'ocr' : 'reading',
  ): Promise<void> {
    const { limits } = this.request;
    this.pages += 1;
    this.characters += page.text.length;
    this.hasText ||= /[\p{L}\p{N}]/u.test(page.text);
    if (this.characters > limits.characters) {
      const millions = Math.round(limits.characters / 1_000_000);
      throw new ExtractionError('too_large', `The file holds more than ${millions} million characters of text.`);
    }
    this.unacknowledged += 1;
    const progress = { done: this.pages, total: this.total, stage };
    this.send({ type: 'page', page: { number: this.pages, ...page }, progress });
    while (this.unacknowledged >= PAGES_IN_FLIGHT) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  acknowledge(): void {
    this.unacknowledged -= 1;
    this.wake?.();
  }

  /**
   * Declares the number of pages before the first, so that a hopeless file fails at once. Tables do not: how their
   * rows are parted is our choice, and the limit of characters holds for them.
   */
  announce(total: number): void {
    this.total = total;
    if (total <= this.request.limits.pages) return;
    const most = this.request.limits.pages.toLocaleString('en');
    throw new ExtractionError('too_large', `The file has more than ${most} pages. Split it and upload the parts.`);
  }

  /**
   * @returns the number of pages sent
   * @throws ExtractionError `empty` when no page held any text
   */
  finish(): number {
    if (!this.hasText) throw new ExtractionError('empty', emptyMessage(this.request));
    return this.pages;
  }
}

function emptyMessage(request: ParseRequest): string {
  if (request.kind !== 'pdf') return 'The file holds no text.';
  return request.ocr
    ? 'No text could be recognised in this PDF.'
    : 'This PDF holds no text: it seems to be scanned, and OCR was off. Upload it again with OCR on.';
}

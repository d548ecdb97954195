import { PAGES_IN_FLIGHT } from '../child-messages.js';
import type { ChildMessage, ParseRequest } from '../child-messages.js';
import type { ExtractedPage, ExtractionStage } from '../extracted-page.js';
import { ExtractionError } from '../extraction-error.js';
import { packPage, type SentPage } from '../packed-page.js';

/** Words and cells with their places: of a page, and of a document, which its reader holds as a whole. */
const MOST_PLACES_OF_PAGE = 100_000;
const MOST_PLACES = 1_500_000;

/** Hands pages to the parent, not faster than it stores them, and keeps count. */
export class PageSink {
  /** Set by parsers whose format tells it in advance. */
  total: number | null = null;
  /** Set by the parser: pages whose letters cannot be known without OCR, which was off. */
  unreadablePages = 0;
  private pages = 0;
  private characters = 0;
  private hasText = false;
  private unacknowledged = 0;
  private words = 0;
  private wake: (() => void) | null = null;

  constructor(
    private readonly request: ParseRequest,
    private readonly send: (message: ChildMessage) => void,
  ) {}

  /** Whether pages are to come with the places of their words and cells. */
  get wantsGeometry(): boolean {
    return this.request.geometry === true;
  }

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
    this.send({ type: 'page', page: { number: this.pages, ...this.bounded(page) }, progress });
    while (this.unacknowledged >= PAGES_IN_FLIGHT) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Places of a document beyond measure are left out: its words are evidence without a rectangle. */
  private bounded({ geometry, ...page }: Omit<ExtractedPage, 'number'>): Omit<SentPage, 'number'> {
    if (!geometry) return page;
    const { words = [], cells = [], ...rest } = geometry;
    const places = words.length + cells.length;
    if (places > MOST_PLACES_OF_PAGE || this.words + places > MOST_PLACES) return { ...page, geometry: rest };
    this.words += places;
    return { ...page, geometry: packPage(geometry) };
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
   * @returns the number of pages sent, and a sentence for the owner if something is amiss with them
   * @throws ExtractionError `empty` when no page held any text
   */
  finish(): { pageCount: number; notice: string } {
    if (!this.hasText) throw new ExtractionError('empty', this.emptyMessage());
    return { pageCount: this.pages, notice: this.notice() };
  }

  private notice(): string {
    const count = this.unreadablePages;
    if (count === 0) return '';
    const which = count === 1 ? '1 page has' : `${count} pages have`;
    return `Indexed, but ${which} a text layer that cannot be read. Index the document again with OCR on.`;
  }

  private emptyMessage(): string {
    const { kind, ocr } = this.request;
    if (kind !== 'pdf') return 'The file holds no text.';
    if (ocr) return 'No text could be recognised in this PDF.';
    const what =
      this.unreadablePages > 0
        ? 'The text layer of this PDF cannot be read: its fonts do not say which letters they show.'
        : 'This PDF holds no text: it seems to be scanned, and OCR was off.';
    return `${what} Upload it again with OCR on.`;
  }
}

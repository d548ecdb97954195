import { PAGES_IN_FLIGHT } from '../child-messages.js';
import type { ChildMessage, ParseRequest } from '../child-messages.js';
import type { ExtractedPage, ExtractionStage } from '../extracted-page.js';
import { ExtractionError } from '../extraction-error.js';
import { packPage, type SentPage } from '../packed-page.js';
import { AttachedFiles } from './attached-files.js';
import { emptyMessage } from './empty-message.js';
import type { EnclosedFile, Lend } from './enclosed-file.js';
import type { PageSink } from './page-sink.js';

/** Words and cells with their places: of a page, and of a document, which its reader holds as a whole. */
const MOST_PLACES_OF_PAGE = 100_000;
const MOST_PLACES = 1_500_000;

/** Hands pages to the parent, not faster than it stores them, and keeps count. */
export class PageSender implements PageSink {
  unreadablePages = 0;
  /** Of parsers whose format tells it in advance. */
  private total: number | null = null;
  private pages = 0;
  private characters = 0;
  private hasText = false;
  private unacknowledged = 0;
  private words = 0;
  private wake: (() => void) | null = null;
  private readonly files: AttachedFiles | null;

  /** @param lend without it files within the document are not read */
  constructor(
    private readonly request: ParseRequest,
    private readonly send: (message: ChildMessage) => void,
    lend?: Lend,
  ) {
    this.files = lend ? new AttachedFiles(request, lend, send, this) : null;
  }

  get wantsGeometry(): boolean {
    return this.request.geometry === true;
  }

  async emit(
    page: Omit<ExtractedPage, 'number'>,
    stage: ExtractionStage = page.ocr ? 'ocr' : 'reading',
  ): Promise<void> {
    const { limits } = this.request;
    if (this.characters + page.text.length > limits.characters) {
      const millions = Math.round(limits.characters / 1_000_000);
      throw new ExtractionError('too_large', `The file holds more than ${millions} million characters of text.`);
    }
    this.pages += 1;
    this.characters += page.text.length;
    this.hasText ||= /[\p{L}\p{N}]/u.test(page.text);
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

  announce(total: number): void {
    this.total = total;
    if (total <= this.request.limits.pages) return;
    const most = this.request.limits.pages.toLocaleString('en');
    throw new ExtractionError('too_large', `The file has more than ${most} pages. Split it and upload the parts.`);
  }

  async attach(files: readonly EnclosedFile[]): Promise<void> {
    await this.files?.readAll(files);
  }

  /**
   * @returns the number of pages sent, sentences for the owner if something is amiss with them, and whether a parser
   * failed over a file within the document in a way nobody foresaw
   * @throws ExtractionError `empty` when no page held any text
   */
  finish(): { pageCount: number; notice: string; tainted: boolean } {
    if (!this.hasText) throw new ExtractionError('empty', emptyMessage(this.request, this.unreadablePages));
    const notice = [this.unreadableNotice(), this.files?.notice() ?? ''].filter((each) => each !== '').join(' ');
    return { pageCount: this.pages, notice, tainted: this.files?.tainted ?? false };
  }

  private unreadableNotice(): string {
    const count = this.unreadablePages;
    if (count === 0) return '';
    const which = count === 1 ? '1 page has' : `${count} pages have`;
    return `Indexed, but ${which} a text layer that cannot be read. Index the document again with OCR on.`;
  }
}

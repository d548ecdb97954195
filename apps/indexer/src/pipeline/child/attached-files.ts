import { createHash } from 'node:crypto';
import type { FileKind } from '@app/documents/kit';
import { ATTACHMENT_LIMITS, type AttachmentStop } from '../attached-file.js';
import type { ChildMessage, ParseRequest } from '../child-messages.js';
import { ExtractionError } from '../extraction-error.js';
import { AttachmentSink, type AttachmentShare } from './attachment-sink.js';
import { cutLongText } from './cut-long-text.js';
import { emptyMessage } from './empty-message.js';
import type { EnclosedFile, Lend } from './enclosed-file.js';
import { failureOf } from './failure-of.js';
import { normaliseLine } from './normalise.js';
import type { PageSink } from './page-sink.js';
import { parserFor, type Parser } from './parser.js';

/** What belongs to mails rather than being sent with them: signatures, keys, cards, reports of delivery. */
const BESIDE =
  /^(?:application\/(?:x-)?pkcs7-signature|application\/pgp-(?:signature|keys)|text\/(?:x-)?vcard|text\/x-amp-html|text\/rfc822-headers|message\/(?:delivery-status|disposition-notification|feedback-report))$/;
const BESIDE_NAMES = /\.(?:p7s|sig|asc|vcf)$/i;

const MAX_NAME = 100;
/** As many are named among those that were not read; of all of them there is a number. */
const MAX_TOLD = 20;
const MAX_TOLD_AT_ONCE = 3;
const LOST = 'Attachments that were not read, or not as a whole';

/**
 * Reads the files within a document, and those within them, each by the parser of its kind, and keeps count over all of
 * them. The same file is read once. Whatever is wrong with one of them, the document is read.
 */
export class AttachedFiles implements AttachmentShare {
  /** A parser failed in a way nobody foresaw: its process is not to be used again. */
  tainted = false;
  private readonly known = new Set<string>();
  private readonly lost: string[] = [];
  private lostCount = 0;
  private count = 0;
  private bytes = 0;
  private pages = 0;
  private characters = 0;

  constructor(
    private readonly request: ParseRequest,
    private readonly lend: Lend,
    private readonly send: (message: ChildMessage) => void,
    private readonly root: PageSink,
  ) {}

  /**
   * @param within names of the files that these are within, from the outermost; none for those of the document itself
   * @throws what a parser throws when its process cannot go on
   */
  async readAll(files: readonly EnclosedFile[], within: readonly string[] = []): Promise<void> {
    for (const file of files) if (!this.isPassedOver(file)) await this.read(file, within);
    if (within.length === 0) await this.tellLosses();
  }

  /** Sentences for the owner; '' when all was read. */
  notice(): string {
    if (this.lostCount === 0) return '';
    const more = this.lostCount - Math.min(this.lost.length, MAX_TOLD_AT_ONCE);
    return [
      'Indexed, but not all that is attached was read.',
      ...this.lost.slice(0, MAX_TOLD_AT_ONCE),
      ...(more > 0 ? [`So with ${more} more.`] : []),
    ].join(' ');
  }

  checkPages(more: number): void {
    if (this.pages + more > this.request.limits.pages)
      throw new ExtractionError('too_large', 'What is attached has more pages than are read of one document.');
  }

  countPage(characters: number): void {
    if (this.characters + characters > ATTACHMENT_LIMITS.characters) {
      const millions = ATTACHMENT_LIMITS.characters / 1_000_000;
      throw new ExtractionError('too_large', `What is attached holds more than ${millions} million characters.`);
    }
    this.pages += 1;
    this.characters += characters;
  }

  private isPassedOver({ name, mimeType, isShown = false }: EnclosedFile): boolean {
    return BESIDE.test(mimeType) || BESIDE_NAMES.test(name.trim()) || (isShown && !this.request.ocr);
  }

  private async read(file: EnclosedFile, within: readonly string[]): Promise<void> {
    const name = normaliseLine(file.name).slice(0, MAX_NAME) || '(without a name)';
    const found: { kind?: FileKind } = {};
    try {
      await this.readPages(file, [...within, name], found);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === 'out_of_memory' || isTrap(error)) throw error;
      this.tainted ||= failure.tainted;
      // A picture without any words is none that was lost.
      const isBlank = failure.code === 'empty' && (this.request.ocr || !isScan(found.kind));
      if (!isBlank) this.lose(`${name}: ${failure.message}`);
    }
  }

  private async readPages(
    { name, mimeType, isRead = false, ...file }: EnclosedFile,
    path: readonly string[],
    found: { kind?: FileKind },
  ): Promise<void> {
    const { depth, files, bytes: most } = ATTACHMENT_LIMITS;
    if (path.length > depth && !isRead) throw tooMuch('It is within too many other messages to be read.');
    if (this.count >= files && !isRead) throw tooMuch(`At most ${files} attachments are read.`);
    const bytes = file.bytes();
    const hash = createHash('sha256').update(bytes).digest('base64');
    if (this.known.has(hash)) return;
    this.known.add(hash);
    if (isRead || bytes.length === 0) return;
    if (this.bytes + bytes.length > most)
      throw tooMuch(`At most ${most / 1024 / 1024} MB of what is attached are read.`);
    this.bytes += bytes.length;
    const ordinal = (this.count += 1);
    const stop = this.stopAt(ordinal);
    if (stop?.pages === 0) throw tooMuch(stop.message);
    const screened = await this.lend({ ordinal, name, mimeType, bytes });
    if ('refusal' in screened) throw new ExtractionError('unsupported', screened.refusal);
    found.kind = screened.kind;
    const request = { ...this.request, ...screened };
    const parse = await this.load(screened.kind);
    const sink = new AttachmentSink({ files: this, root: this.root, path, kind: screened.kind, stop });
    await parse(request, sink);
    this.root.unreadablePages += sink.unreadablePages;
    if (!sink.hasText) throw new ExtractionError('empty', emptyMessage(request, sink.unreadablePages));
  }

  /** Memory that a parser takes for itself is none of the document's. */
  private async load(kind: FileKind): Promise<Parser> {
    const before = process.memoryUsage.rss();
    const parse = await parserFor(kind);
    this.send({ type: 'started', bytes: Math.max(0, process.memoryUsage.rss() - before) });
    return parse;
  }

  private stopAt(ordinal: number): AttachmentStop | null {
    const { stops = [] } = this.request;
    const own = stops.find((stop) => stop.ordinal === ordinal);
    if (own) return own;
    const last = stops.find((stop) => stop.isLast && stop.ordinal < ordinal);
    return last ? { ...last, pages: 0 } : null;
  }

  private lose(sentence: string): void {
    this.lostCount += 1;
    if (this.lost.length < MAX_TOLD) this.lost.push(sentence);
  }

  /** Whoever asks for what stands in a file that could not be read is to be told that. */
  private async tellLosses(): Promise<void> {
    if (this.lostCount === 0) return;
    const more = this.lostCount - this.lost.length;
    const lines = [`${LOST}:`, ...this.lost, ...(more > 0 ? [`So with ${more} more.`] : [])];
    try {
      for (const text of cutLongText(lines.join('\n'))) await this.root.emit({ text, ocr: false, label: LOST });
    } catch (error) {
      // A document that is as long as may be is read without it; its notice says the same.
      if (!(error instanceof ExtractionError)) throw error;
    }
  }
}

/** The module that a parser runs in is not to be called again after it. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

/** What may hold text that only recognition finds. */
function isScan(kind: FileKind | undefined): boolean {
  return kind !== undefined && ['pdf', 'png', 'jpeg', 'gif', 'webp', 'tiff', 'bmp'].includes(kind);
}

function tooMuch(message: string): ExtractionError {
  return new ExtractionError('too_large', message);
}

import type { FileKind } from '@app/documents/kit';
import type { AttachmentStop } from '../attached-file.js';
import type { ExtractedPage, ExtractionStage, PageGeometry } from '../extracted-page.js';
import { ExtractionError } from '../extraction-error.js';
import type { EnclosedFile } from './enclosed-file.js';
import type { PageSink } from './page-sink.js';

/** Of a label, which says the page as well. */
const MAX_NAME = 60;
const MAX_LABEL = 200;
const PAGE_NAMES: Partial<Record<FileKind, string>> = {
  pdf: 'page',
  tiff: 'page',
  pptx: 'slide',
  pptm: 'slide',
  ppt: 'slide',
  odp: 'slide',
};

/** What all files within a document have a share of. */
export interface AttachmentShare {
  /** @throws ExtractionError `too_large` when so many pages are too many */
  checkPages(more: number): void;
  /** @throws ExtractionError `too_large` when a page of so many characters is too much */
  countPage(characters: number): void;
  /** @param within names of the files that these are within, from the outermost */
  readAll(files: readonly EnclosedFile[], within: readonly string[]): Promise<void>;
}

interface Attachment {
  files: AttachmentShare;
  /** Where pages of the document go. */
  root: PageSink;
  /** Its name, behind those of the files that it is within. */
  path: readonly string[];
  kind: FileKind;
  stop: AttachmentStop | null;
}

/**
 * Pages of a file within the document. They go on where those before them ended, say what file they are of, and which of
 * its pages, and have no lines: they are no pages that anybody can be shown.
 */
export class AttachmentSink implements PageSink {
  unreadablePages = 0;
  hasText = false;
  private pages = 0;

  constructor(private readonly attachment: Attachment) {}

  get wantsGeometry(): boolean {
    return this.attachment.root.wantsGeometry;
  }

  announce(total: number): void {
    this.attachment.files.checkPages(total);
  }

  attach(files: readonly EnclosedFile[]): Promise<void> {
    return this.attachment.files.readAll(files, this.attachment.path);
  }

  async emit(
    { text, ocr, label = '', geometry }: Omit<ExtractedPage, 'number'>,
    stage?: ExtractionStage,
  ): Promise<void> {
    const { files, root, path, stop } = this.attachment;
    files.countPage(text.length);
    this.pages += 1;
    const hasText = /[\p{L}\p{N}]/u.test(text);
    const heading = hasText && !this.hasText ? `Attachment: ${path.join(' / ')}\n\n` : '';
    this.hasText ||= hasText;
    const page = { text: heading + text, ocr, label: this.label(label), ...placesOf(geometry, heading.length) };
    await root.emit(page, stage);
    if (stop && this.pages >= stop.pages) throw new ExtractionError('too_large', stop.message);
  }

  private label(own: string): string {
    const { path, kind } = this.attachment;
    const names = path.map((name) =>
      name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed().trimEnd()}…` : name,
    );
    const pageName = PAGE_NAMES[kind];
    const place = pageName === undefined ? '' : `, ${pageName} ${this.pages}`;
    return `${names.join(' / ')}${place}${own === '' ? '' : `: ${own}`}`.slice(0, MAX_LABEL);
  }
}

/** What stands beside and below what is read off its places; they are none of the document's pages, as its cells' addresses tell. */
function placesOf(geometry: PageGeometry | undefined, moved: number): { geometry?: PageGeometry } {
  if (!geometry) return {};
  const { words, cells } = geometry;
  const move = <P extends { start: number; end: number }>(place: P): P => ({
    ...place,
    start: place.start + moved,
    end: place.end + moved,
  });
  return {
    geometry: {
      ...geometry,
      ...(words && { words: words.map(move) }),
      ...(cells && { cells: cells.map(move) }),
      isUnshown: true,
    },
  };
}

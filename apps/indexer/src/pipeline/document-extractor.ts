import type { FileKind } from '@app/documents';
import type { AnchoredQuote, ExtractedValues, SourcePage } from '@app/extraction/kit';
import type { AttachmentStop } from './attached-file.js';
import { checkArchive } from './check-archive.js';
import type { AnchorRequest, DrawRequest, RulesRequest } from './child-messages.js';
import type { Extraction, ExtractionProgress } from './extracted-page.js';
import { ExtractionError } from './extraction-error.js';
import { DEFAULT_EXTRACTION_LIMITS, withMoreRoom } from './extraction-limits.js';
import type { ExtractionLimits } from './extraction-limits.js';
import { ParserProcess } from './parser-process.js';
import { toSourcePage } from './packed-page.js';
import type { OnPage, OnReached, Reached } from './parser-process.js';

/** Files within a document that it is tried again without. */
const MOST_STOPS = 3;

export interface ExtractorOptions {
  /** The compiled program of the reading process: `CHILD_ENTRY` of `child-entry.js`. */
  childEntry: string;
  /** Documents read at the same time, each in a process of its own. */
  concurrency?: number;
  limits?: Partial<ExtractionLimits>;
  /** A process is replaced after this many documents: parsers leak a little. */
  documentsPerProcess?: number;
  /** A process that has grown beyond this is replaced after its document. */
  recycleRssBytes?: number;
  /** An unused process ends after this long: one that has done OCR holds 300 MB. */
  idleMs?: number;
}

export interface ExtractionInput {
  path: string;
  kind: FileKind;
  /** Recognise text in images and in PDF pages that have none. */
  ocr: boolean;
  /** Tesseract codes, `eng` and `ara` by default (the languages that are installed). */
  languages?: string[];
  /** A folder with language data of the operator's own (`xyz.traineddata`, packed or not). */
  languageFolder?: string;
  signal?: AbortSignal;
  /** Called page by page, in order, never twice at once; the next pages wait for its promise. */
  onPage: OnPage;
}

export interface SourceInput extends Omit<ExtractionInput, 'onPage'> {
  /** Called page by page, in order, never twice at once; the next pages wait for its promise. */
  onPage: (page: SourcePage, progress: ExtractionProgress) => void | Promise<void>;
}

/** Turns stored files into pages of text, in child processes that it reuses. `close` it at the end. */
export class DocumentExtractor {
  private readonly options: Required<Omit<ExtractorOptions, 'limits'>>;
  private readonly limits: ExtractionLimits;
  private readonly idle: { process: ParserProcess; timer: NodeJS.Timeout }[] = [];
  private readonly busy = new Set<ParserProcess>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private closed = false;

  constructor(options: ExtractorOptions) {
    const defaults = { concurrency: 1, documentsPerProcess: 50, recycleRssBytes: 480 * 1024 * 1024, idleMs: 60_000 };
    this.options = { ...defaults, ...options };
    this.limits = { ...DEFAULT_EXTRACTION_LIMITS, ...options.limits };
  }

  /**
   * Reads one document; waits for a free place when `concurrency` documents are being read.
   * @throws ExtractionError when the document cannot be read; `signal.reason` when aborted; whatever `onPage` threw
   */
  async extract(input: ExtractionInput): Promise<Extraction> {
    return this.read(input, {});
  }

  /**
   * Reads one document with what evidence needs: words and cells with their places, filled form fields, sizes of pages.
   * Its text is that of `extract`. @throws as `extract`
   */
  async readPages({ onPage, ...input }: SourceInput): Promise<Extraction> {
    return this.read(
      { ...input, onPage: (page, progress) => onPage(toSourcePage(page), progress) },
      { geometry: true },
    );
  }

  /**
   * Finds quotes in pages of `readPages`, apart from this process: documents and quotes are strangers'.
   * @throws ExtractionError; `signal.reason` when aborted
   */
  async anchor({ signal, ...request }: AnchorRequest & { signal?: AbortSignal }): Promise<AnchoredQuote[]> {
    return this.inTurn(signal, () => this.withSecondTry(undefined, (process) => process.anchor(request, signal)));
  }

  /** Reads values out of pages of `readPages` by rules; like `anchor` in all else. */
  async applyRules({ signal, ...request }: RulesRequest & { signal?: AbortSignal }): Promise<ExtractedValues[]> {
    return this.inTurn(signal, () => this.withSecondTry(undefined, (process) => process.applyRules(request, signal)));
  }

  private async read(input: ExtractionInput, options: { geometry?: boolean }): Promise<Extraction> {
    const { path, kind, ocr, languages = ['eng', 'ara'], languageFolder, onPage, signal } = input;
    const data = languageFolder ? { languageFolder } : {};
    const limits = { pages: this.limits.pages, characters: this.limits.characters };
    return this.inTurn(signal, async () => {
      const started = performance.now();
      await checkArchive(input);
      let handed = 0;
      let storing = 0;
      // What the check took, and a first try, is time of reading, too.
      const timeLeft = () => this.limits.totalMs - (performance.now() - started - storing);
      const handOver: OnPage = async (page, progress) => {
        // A second try reads the first pages again.
        if (page.number <= handed) return;
        handed = page.number;
        const from = performance.now();
        await onPage(page, progress);
        storing += performance.now() - from;
      };
      const readWhole = (stops: readonly AttachmentStop[], onReached: OnReached) =>
        this.withSecondTry(languageFolder, (process) => {
          const time = { signal, totalMs: Math.max(1, timeLeft()), onReached };
          return process.run({ path, kind, ocr, languages, ...data, ...options, limits, stops }, handOver, time);
        });
      const endHere = (why: string): Extraction => {
        const pageCount = handed;
        handed = Infinity;
        return { pageCount, notice: `Indexed, but not all that is attached was read. ${why}` };
      };
      return this.readPastAttachments(readWhole, { timeLeft, endHere });
    });
  }

  /**
   * A file within a document that takes a process down, or too long, does not take the document with it: the next try
   * ends that file where the last one came to, and the third one what follows it as well.
   * @param timeLeft in milliseconds; without any, and where no try helps, `endHere` makes do with what was read
   */
  private async readPastAttachments(
    read: (stops: readonly AttachmentStop[], onReached: OnReached) => Promise<Extraction>,
    { timeLeft, endHere }: { timeLeft: () => number; endHere: (why: string) => Extraction },
  ): Promise<Extraction> {
    const stops: AttachmentStop[] = [];
    for (;;) {
      const last: Reached = { pages: 0, attachment: null };
      try {
        return await read(stops, ({ pages, attachment }) => {
          last.pages = Math.max(last.pages, pages);
          last.attachment = attachment;
        });
      } catch (error) {
        const { pages, attachment } = last;
        if (this.closed || !(error instanceof ExtractionError) || error.code === 'empty' || !attachment) throw error;
        const { ordinal, pagesBefore } = attachment;
        const helps = timeLeft() > 0 && !stops.some((stop) => stop.ordinal === ordinal || stop.isLast);
        if (!helps) return endHere(error.message);
        const isLast = stops.length + 1 === MOST_STOPS;
        stops.push({ ordinal, pages: pages - pagesBefore, message: error.message, isLast });
      }
    }
  }

  /** Draws one page of a PDF or image as a WebP; the limit of time is that of one page. @throws ExtractionError */
  async draw(request: DrawRequest, signal?: AbortSignal): Promise<Uint8Array> {
    return this.inTurn(signal, () => this.withSecondTry(undefined, (process) => process.draw(request, signal)));
  }

  /** Ends all processes; documents being read fail as `crashed`. */
  close(): void {
    this.closed = true;
    for (const { process, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      process.kill();
    }
    for (const process of this.busy) process.kill();
  }

  private async inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private async enter(signal?: AbortSignal): Promise<void> {
    while (this.running >= this.options.concurrency) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (signal?.aborted) {
      // This call was woken for nothing: pass the place on.
      this.waiting.shift()?.();
      signal.throwIfAborted();
    }
    this.running += 1;
  }

  /**
   * A process that has read much holds memory that is no document's: who runs out of it gets a new process and more
   * room, once.
   */
  private async withSecondTry<T>(
    languageFolder: string | undefined,
    work: (process: ParserProcess) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.withProcess(languageFolder, work);
    } catch (error) {
      if (!(error instanceof ExtractionError) || error.code !== 'out_of_memory') throw error;
    }
    const process = new ParserProcess(this.options.childEntry, withMoreRoom(this.limits), languageFolder);
    this.busy.add(process);
    try {
      return await work(process);
    } finally {
      this.busy.delete(process);
      process.kill();
    }
  }

  private async withProcess<T>(
    languageFolder: string | undefined,
    work: (process: ParserProcess) => Promise<T>,
  ): Promise<T> {
    const process = this.takeProcess(languageFolder);
    this.busy.add(process);
    try {
      return await work(process);
    } finally {
      this.busy.delete(process);
      await this.putBack(process);
    }
  }

  /** One that may read the folder, too, where there is one to be read. */
  private takeProcess(languageFolder: string | undefined): ParserProcess {
    for (const [at, { process, timer }] of [...this.idle.entries()].toReversed()) {
      if (process.alive && languageFolder !== undefined && process.languageFolder !== languageFolder) continue;
      clearTimeout(timer);
      this.idle.splice(at, 1);
      if (process.alive) return process;
    }
    return new ParserProcess(this.options.childEntry, this.limits, languageFolder);
  }

  private async putBack(process: ParserProcess): Promise<void> {
    const resident = (await process.residentBytes()) ?? 0;
    const worn = process.documentsRead >= this.options.documentsPerProcess || resident > this.options.recycleRssBytes;
    if (worn || !process.alive) return process.kill();
    const timer = setTimeout(() => {
      this.idle.splice(0, this.idle.length, ...this.idle.filter((kept) => kept.process !== process));
      process.kill();
    }, this.options.idleMs);
    timer.unref();
    this.idle.push({ process, timer });
  }
}

/** `DocumentExtractor` for a single document, with a process of its own (0.1 s to start). */
export async function extractDocument(input: ExtractionInput, options: ExtractorOptions): Promise<Extraction> {
  const extractor = new DocumentExtractor(options);
  try {
    return await extractor.extract(input);
  } finally {
    extractor.close();
  }
}

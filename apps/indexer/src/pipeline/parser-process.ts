import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnchoredQuote, ExtractedValues } from '@app/extraction/kit';
import { type Conversation, type Ending, IsolatedProcess, type LimitWatch } from '@app/isolation';
import { AttachmentScreening } from './attachment-screening.js';
import { PAGES_IN_FLIGHT } from './child-messages.js';
import type {
  AnchorRequest,
  ChildMessage,
  DrawRequest,
  ParentMessage,
  ParseRequest,
  RulesRequest,
} from './child-messages.js';
import type { ExtractedPage, Extraction, ExtractionProgress } from './extracted-page.js';
import { ExtractionError } from './extraction-error.js';
import type { ExtractionLimits } from './extraction-limits.js';
import { outOfMemory, tookTooLong } from './out-of-memory.js';
import { type PackedPage, packPage, unpackSent } from './packed-page.js';
import { ReadingFolder } from './reading-folder.js';

export type OnPage = (page: ExtractedPage, progress: ExtractionProgress) => void | Promise<void>;

const BYTES_PER_CHARACTER = 48;
const BYTES_PER_PLACE = 320;

/** How far the reading of a document came, for a try after one that failed. */
export interface Reached {
  pages: number;
  /** The file within the document that was looked at last, and how many pages there were before it. */
  attachment: { ordinal: number; pagesBefore: number } | null;
}

export type OnReached = (reached: Readonly<Reached>) => void;

interface RunOptions {
  signal?: AbortSignal | undefined;
  totalMs?: number;
  onReached?: OnReached;
}

type PageMessage = Extract<ChildMessage, { type: 'page' }>;
type Question = Exclude<ParentMessage, { type: 'ack' | 'screened' }>;

/**
 * One process that reads documents, one after the other, and sees no file but the one that it reads, and what
 * it found within it. It is killed when
 * a document breaks a limit: `alive` is false afterwards and the owner takes a new one.
 */
export class ParserProcess {
  private readonly child: IsolatedProcess<ParentMessage, ChildMessage>;
  private readonly folder = new ReadingFolder();
  documentsRead = 0;

  /** @param languageFolder language data of the operator's own, which it may read too */
  constructor(
    entry: string,
    private readonly limits: ExtractionLimits,
    readonly languageFolder?: string,
  ) {
    this.child = new IsolatedProcess({
      entry,
      heapMb: limits.heapMb,
      read: [this.folder.pattern, ...(languageFolder ? [join(languageFolder, '*')] : [])],
      natives: ['sharp'],
      threads: true,
      humble: true,
    });
    this.child.onceGone(() => this.folder.close());
  }

  get alive(): boolean {
    return this.child.alive;
  }

  /** Resident memory in bytes; null where the system does not tell. */
  residentBytes(): Promise<number | null> {
    return this.child.residentBytes();
  }

  kill(): void {
    this.child.kill();
    this.folder.close();
  }

  /**
   * Reads one document; call it again only after it has settled.
   * @throws ExtractionError, the signal's reason, or what `onPage` threw; in the last two cases, and
   * on a broken limit, the process is dead afterwards
   * @param onReached is told of each page and each file within the document before it is worked on
   */
  async run(
    request: ParseRequest,
    onPage: OnPage,
    { signal, totalMs = this.limits.totalMs, onReached = () => undefined }: RunOptions = {},
  ): Promise<Extraction> {
    let stored = Promise.resolve();
    const reached: Reached = { pages: 0, attachment: null };
    const screening = new AttachmentScreening(this.folder);
    let tainted = false;
    try {
      return await this.converse<Extraction>(
        { type: 'extract', request },
        { signal, totalMs },
        (message, { watch, resolve, fail }) => {
          if (message.type === 'page') {
            watch.arrived();
            reached.pages = message.page.number;
            stored = stored.then(() => this.store(message, onPage, watch));
            stored.catch(fail);
          } else if (message.type === 'attached') {
            reached.attachment = { ordinal: message.file.ordinal, pagesBefore: reached.pages };
            screening.take(message.file).then((file) => this.child.send({ type: 'screened', file }), fail);
          } else if (message.type === 'done') {
            watch.finish();
            ({ tainted } = message);
            stored.then(() => resolve({ pageCount: message.pageCount, notice: message.notice }), fail);
          }
          onReached(reached);
        },
      );
    } finally {
      await screening.end();
      if (tainted) this.kill();
    }
  }

  /** Draws one page; like `run` in all else. @returns a WebP */
  async draw(request: DrawRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const time = { signal, totalMs: this.limits.totalMs };
    return this.converse<Uint8Array>({ type: 'draw', request }, time, (message, { resolve }) => {
      if (message.type === 'picture') resolve(message.image);
    });
  }

  /** Finds quotes in pages that were read before; like `run` in all else. */
  async anchor({ pages, quotes }: AnchorRequest, signal?: AbortSignal): Promise<AnchoredQuote[]> {
    const request = { quotes, pages: pages.map((page) => packPage(page)) };
    const time = { signal, totalMs: this.limits.totalMs };
    return this.converse<AnchoredQuote[]>({ type: 'anchor', request }, time, (message, { resolve }) => {
      if (message.type === 'anchored') resolve(message.quotes);
    });
  }

  /** Applies the rules to pages that were read before; like `run` in all else. */
  async applyRules({ pages, columns, rowMode }: RulesRequest, signal?: AbortSignal): Promise<ExtractedValues[]> {
    const request = { columns, rowMode, pages: pages.map((page) => packPage(page)) };
    const time = { signal, totalMs: this.limits.totalMs };
    return this.converse<ExtractedValues[]>({ type: 'apply_rules', request }, time, (message, { resolve }) => {
      if (message.type === 'ruled') resolve(message.rows);
    });
  }

  private async converse<T>(
    question: Question,
    { signal, totalMs }: { signal?: AbortSignal | undefined; totalMs: number },
    listen: (message: ChildMessage, conversation: Conversation<T>) => void,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.documentsRead += 1;
    let growth = await this.mostGrowth(question);
    const { pageMs, rssBytes } = this.limits;
    const limits = { totalMs, pieceMs: pageMs, rssBytes, piecesAhead: PAGES_IN_FLIGHT };
    let own = 0;
    // What the process needs for itself, first of all to start, is not the document's.
    const allow = (bytes: number, watch: LimitWatch) => {
      own += bytes;
      watch.allow(Math.min(rssBytes, own + growth));
    };
    return this.lend(question, (lent) =>
      this.child.converse<T | ExtractionError>(lent, { limits, signal, explain }, (message, conversation) => {
        if (message.type === 'ready') return allow(message.resident, conversation.watch);
        if (message.type === 'started') return allow(message.bytes, conversation.watch);
        if (message.type === 'attached') {
          growth += this.limits.growthPerByte * message.file.bytes.length;
          allow(0, conversation.watch);
        }
        if (message.type !== 'failed') return listen(message, conversation);
        if (message.tainted) this.kill();
        conversation.resolve(new ExtractionError(message.code, message.message, { cause: message.detail }));
      }),
    );
  }

  /** A file that could not be read is an answer: the process is as good as before. */
  private async lend<T>(question: Question, ask: (lent: Question) => Promise<T | ExtractionError>): Promise<T> {
    if (isOfPages(question)) return withoutError(await ask(question));
    // One that has ended meanwhile takes its folder with it; the conversation says why it ended.
    if (!this.alive) return withoutError(await ask(question));
    const answer = await this.folder.lend(question.request.path, (path) =>
      ask({ ...question, request: { ...question.request, path } } as Question),
    );
    return withoutError(answer);
  }

  /** Bytes that this file may add to the process. */
  private async mostGrowth(question: Question): Promise<number> {
    const { growthBytes, growthPerByte, recognitionBytes } = this.limits;
    if (isOfPages(question)) return growthBytes + roomFor(question.request.pages);
    const { request } = question;
    const { size } = await stat(request.path);
    const recognises = 'ocr' in request && request.ocr;
    return growthBytes + growthPerByte * size + (recognises ? recognitionBytes : 0);
  }

  private async store(message: PageMessage, onPage: OnPage, watch: LimitWatch): Promise<void> {
    await onPage(unpackSent(message.page), message.progress);
    watch.stored();
    this.child.send({ type: 'ack' });
  }
}

type AboutPages = Extract<Question, { type: 'anchor' | 'apply_rules' }>;

function isOfPages(question: Question): question is AboutPages {
  return question.type === 'anchor' || question.type === 'apply_rules';
}

/** What pages take once they are unpacked and searched. */
function roomFor(pages: readonly Pick<PackedPage, 'text' | 'words' | 'cells'>[]): number {
  const bytes = pages.map(({ text, words, cells = [] }) => {
    const places = (words?.offsets.length ?? 0) / 2 + cells.length;
    return text.length * BYTES_PER_CHARACTER + places * BYTES_PER_PLACE;
  });
  return bytes.reduce((sum, each) => sum + each, 0);
}

function withoutError<T>(answer: T | ExtractionError): T {
  if (answer instanceof ExtractionError) throw answer;
  return answer;
}

function explain({ cause, detail }: Ending): ExtractionError {
  if (cause === 'time') return tookTooLong(detail);
  if (cause === 'memory') return outOfMemory(detail);
  return new ExtractionError('crashed', 'The file could not be read: reading it stopped unexpectedly.', {
    cause: detail,
  });
}

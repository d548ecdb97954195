import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Conversation, type Ending, IsolatedProcess, type LimitWatch } from '@app/isolation';
import { PAGES_IN_FLIGHT } from './child-messages.js';
import type { ChildMessage, DrawRequest, ParentMessage, ParseRequest } from './child-messages.js';
import type { ExtractedPage, Extraction, ExtractionProgress } from './extracted-page.js';
import { ExtractionError } from './extraction-error.js';
import type { ExtractionLimits } from './extraction-limits.js';
import { outOfMemory, tookTooLong } from './out-of-memory.js';
import { ReadingFolder } from './reading-folder.js';

export type OnPage = (page: ExtractedPage, progress: ExtractionProgress) => void | Promise<void>;

type PageMessage = Extract<ChildMessage, { type: 'page' }>;
type Question = Exclude<ParentMessage, { type: 'ack' }>;

/**
 * One process that reads documents, one after the other, and sees no file but the one that it reads. It is killed when
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
   */
  async run(
    request: ParseRequest,
    onPage: OnPage,
    { signal, totalMs = this.limits.totalMs }: { signal?: AbortSignal | undefined; totalMs?: number } = {},
  ): Promise<Extraction> {
    let stored = Promise.resolve();
    return this.converse<Extraction>(
      { type: 'extract', request },
      { signal, totalMs },
      (message, { watch, resolve, fail }) => {
        if (message.type === 'page') {
          watch.arrived();
          stored = stored.then(() => this.store(message, onPage, watch));
          stored.catch(fail);
        } else if (message.type === 'done') {
          watch.finish();
          stored.then(() => resolve({ pageCount: message.pageCount, notice: message.notice }), fail);
        }
      },
    );
  }

  /** Draws one page; like `run` in all else. @returns a WebP */
  async draw(request: DrawRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const time = { signal, totalMs: this.limits.totalMs };
    return this.converse<Uint8Array>({ type: 'draw', request }, time, (message, { resolve }) => {
      if (message.type === 'picture') resolve(message.image);
    });
  }

  private async converse<T>(
    question: Question,
    { signal, totalMs }: { signal?: AbortSignal | undefined; totalMs: number },
    listen: (message: ChildMessage, conversation: Conversation<T>) => void,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.documentsRead += 1;
    const growth = await this.mostGrowth(question);
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
        if (message.type !== 'failed') return listen(message, conversation);
        if (message.tainted) this.kill();
        conversation.resolve(new ExtractionError(message.code, message.message, { cause: message.detail }));
      }),
    );
  }

  /** A file that could not be read is an answer: the process is as good as before. */
  private async lend<T>(question: Question, ask: (lent: Question) => Promise<T | ExtractionError>): Promise<T> {
    // One that has ended meanwhile takes its folder with it; the conversation says why it ended.
    if (!this.alive) return withoutError(await ask(question));
    const answer = await this.folder.lend(question.request.path, (path) =>
      ask({ ...question, request: { ...question.request, path } } as Question),
    );
    return withoutError(answer);
  }

  /** Bytes that this file may add to the process. */
  private async mostGrowth({ request }: Question): Promise<number> {
    const { growthBytes, growthPerByte, recognitionBytes } = this.limits;
    const { size } = await stat(request.path);
    const recognises = 'ocr' in request && request.ocr;
    return growthBytes + growthPerByte * size + (recognises ? recognitionBytes : 0);
  }

  private async store(message: PageMessage, onPage: OnPage, watch: LimitWatch): Promise<void> {
    await onPage(message.page, message.progress);
    watch.stored();
    this.child.send({ type: 'ack' });
  }
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

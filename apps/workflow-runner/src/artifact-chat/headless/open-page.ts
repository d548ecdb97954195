import { PageAssets, pageDocument } from '@app/artifacts';
import { type Ending, IsolatedProcess, type LimitWatch } from '@app/isolation';
import { pageNews, type PageOrder, type PageOutcome, type PageReport } from './page-messages.js';

/** What is opened is none yet. */
const NO_ARTIFACT = '00000000-0000-0000-0000-000000000000';
const HEAP_MB = 384;
const MAX_RESIDENT_BYTES = 640 * 1024 * 1024;
/** Until the process has loaded its code; how long that takes, other work on the machine decides. */
const LOADED_MS = 60_000;
/** Of work, without the time that its queries take. */
const LONGEST_MS = 20_000;
/** What a page may have of us: it may ask without end, and its time stands still while it waits. */
const BOUNDS = { asks: 200, characters: 20_000_000, wallMs: 120_000 };
/** For what a page does without end, such as an animation. */
const WAIT_MS = 6_000;

export interface OpenedPage {
  entry: string;
  html: string;
  title?: string;
  state?: Record<string, unknown>;
  /** What queries of the page give; never throws. */
  ask(name: string, params: Record<string, unknown>): Promise<PageOutcome>;
  signal: AbortSignal;
  longestMs?: number;
  bounds?: PageBounds;
}

export interface PageBounds {
  /** Queries that are answered. */
  asks: number;
  /** Of all answers, as JSON. */
  characters: number;
  /** From its opening on, with the time that its queries take. */
  wallMs: number;
}

/** A page that had to be ended. */
export class PageEnded extends Error {
  override readonly name = 'PageEnded';
}

/**
 * Opens a page in a process of its own, which has no network and no files, and is killed when it breaks a limit.
 * @throws PageEnded; the signal's reason
 */
export async function openPage(page: OpenedPage): Promise<PageReport> {
  const { entry, html, title = '', state = {}, ask, signal, longestMs = LONGEST_MS, bounds = BOUNDS } = page;
  signal.throwIfAborted();
  const over = new AbortController();
  let late: NodeJS.Timeout | undefined;
  const child = new IsolatedProcess<PageOrder, unknown>({ entry, heapMb: HEAP_MB, humble: true });
  try {
    await load(child, signal);
    const limits = { totalMs: longestMs, rssBytes: MAX_RESIDENT_BYTES, piecesAhead: 1 };
    // As the frame of a page gets it, but for the shell around it.
    const document = pageDocument(html, { artifact: { id: NO_ARTIFACT, version: 0, title }, state });
    const charts = PageAssets.charts.content;
    const order: PageOrder = { type: 'open', document, charts, waitMs: Math.min(WAIT_MS, longestMs) };
    late = setTimeout(() => over.abort(tooLong(bounds)), bounds.wallMs);
    const either = AbortSignal.any([signal, over.signal]);
    let asks = 0;
    let characters = 0;
    const answer = async (
      id: number,
      asked: Promise<PageOutcome>,
      { watch, fail }: { watch: LimitWatch; fail(error: Error): void },
    ) => {
      const outcome = await asked;
      characters += JSON.stringify(outcome).length;
      if (characters > bounds.characters) return fail(tooMuch(bounds));
      watch.stored();
      child.send({ type: 'outcome', id, outcome });
    };
    return await child.converse<PageReport>(
      order,
      { limits, signal: either, explain },
      (message, { watch, resolve, fail }) => {
        const news = pageNews.safeParse(message);
        if (!news.success) return fail(new PageEnded('The page broke its check.'));
        if (news.data.type === 'ready') return fail(new PageEnded('The page broke its check.'));
        if (news.data.type === 'done') return resolve(news.data.report);
        const { id, name, params } = news.data;
        asks += 1;
        if (asks > bounds.asks) return fail(tooMany(bounds));
        // The page waits, and that takes none of its time.
        watch.arrived();
        void answer(id, ask(name, params), { watch, fail });
      },
    );
  } finally {
    clearTimeout(late);
    child.kill();
  }
}

const inWords = (count: number): string => count.toLocaleString('en');
const tooMany = ({ asks }: PageBounds) =>
  new PageEnded(`The page asks its queries more than ${inWords(asks)} times when it is opened.`);
const tooMuch = ({ characters }: PageBounds) =>
  new PageEnded(
    `What the page asks when it is opened is more than ${inWords(characters)} characters. Ask for fewer rows.`,
  );
const tooLong = ({ wallMs }: PageBounds) =>
  new PageEnded(`The page is not done ${wallMs / 1000} seconds after it was opened: it asks too much, or without end.`);

async function load(child: IsolatedProcess<PageOrder, unknown>, signal: AbortSignal): Promise<void> {
  const limits = { totalMs: LOADED_MS, rssBytes: MAX_RESIDENT_BYTES };
  await child.converse<void>({ type: 'hello' }, { limits, signal, explain: notStarted }, (_, { resolve }) => resolve());
}

const notStarted = ({ cause, detail }: Ending): Error =>
  new Error(`The process that opens pages did not start (${cause}): ${detail}`);

function explain({ cause }: Ending): Error {
  if (cause === 'time') return new PageEnded('A script of the page never came to an end, and was stopped.');
  if (cause === 'memory') return new PageEnded('The page needs more memory than a page may have.');
  return new PageEnded('The page broke its check.');
}

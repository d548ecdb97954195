import type { SourcePage } from '@app/extraction/kit';
import type { ChildMessage, DrawRequest, ParentMessage } from '../child-messages.js';
import { ExtractionError } from '../extraction-error.js';
import { outOfMemory } from '../out-of-memory.js';
import { unpackPage } from '../packed-page.js';
import { PageSink } from './page-sink.js';
import { parserFor } from './parser.js';
import { send } from './send.js';

// The program of the reading process: takes one request at a time, answers page by page, ends with its parent.

type Requested<T> = Extract<ParentMessage, { type: T; request: unknown }>['request'];

process.on('disconnect', () => process.exit(0));

let sink: PageSink | null = null;

process.on('message', (message: ParentMessage) => {
  if (message.type === 'ack') sink?.acknowledge();
  else if (message.type === 'draw') void answer(() => draw(message.request));
  else if (message.type === 'anchor') void answer(() => anchor(message.request));
  else if (message.type === 'apply_rules') void answer(() => applyRules(message.request));
  else void extract(message.request);
});

async function extract(request: Requested<'extract'>): Promise<void> {
  sink = new PageSink(request, send);
  try {
    const parse = await parserFor(request.kind);
    send({ type: 'ready', resident: process.memoryUsage.rss() });
    await parse(request, sink);
    send({ type: 'done', ...sink.finish() });
  } catch (error) {
    send(toFailure(error));
  }
}

async function draw(request: DrawRequest): Promise<ChildMessage> {
  const { drawPage } = await import('./draw-page.js');
  send({ type: 'ready', resident: process.memoryUsage.rss() });
  return { type: 'picture', image: await drawPage(request) };
}

async function anchor({ pages, quotes }: Requested<'anchor'>): Promise<ChildMessage> {
  const { anchorQuotes } = await import('@app/extraction/kit');
  send({ type: 'ready', resident: process.memoryUsage.rss() });
  return { type: 'anchored', quotes: anchorQuotes(pages.map(unpackPage<SourcePage>), quotes) };
}

async function applyRules({ pages, ...asked }: Requested<'apply_rules'>): Promise<ChildMessage> {
  const { extractByRules } = await import('@app/extraction/kit');
  send({ type: 'ready', resident: process.memoryUsage.rss() });
  return { type: 'ruled', rows: extractByRules({ pages: pages.map(unpackPage<SourcePage>), ...asked }) };
}

async function answer(work: () => Promise<ChildMessage>): Promise<void> {
  try {
    send(await work());
  } catch (error) {
    send(toFailure(error));
  }
}

function toFailure(error: unknown): ChildMessage {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error instanceof ExtractionError) {
    return {
      type: 'failed',
      code: error.code,
      message: error.message,
      detail: String(error.cause ?? ''),
      tainted: false,
    };
  }
  if (/allocation failed|out of memory|cannot enlarge memory|Invalid (string|array) length/i.test(detail)) {
    return { type: 'failed', code: 'out_of_memory', message: outOfMemory('').message, detail, tainted: true };
  }
  // Parsers answer malformed files with errors of every kind; a fault of ours would look the same, so the detail is kept.
  const message = 'The file is damaged or not in the format that its name promises. Save it again and upload it.';
  return { type: 'failed', code: 'damaged', message, detail, tainted: true };
}

import type { SourcePage } from '@app/extraction/kit';
import type { AttachedFile, ScreenedFile } from '../attached-file.js';
import type { ChildMessage, DrawRequest, ParentMessage } from '../child-messages.js';
import { unpackPage } from '../packed-page.js';
import { failureOf } from './failure-of.js';
import { PageSender } from './page-sender.js';
import { parserFor } from './parser.js';
import { send } from './send.js';

// The program of the reading process: takes one request at a time, answers page by page, ends with its parent.

type Requested<T> = Extract<ParentMessage, { type: T; request: unknown }>['request'];

process.on('disconnect', () => process.exit(0));

let sink: PageSender | null = null;
let screened: ((file: ScreenedFile) => void) | null = null;

process.on('message', (message: ParentMessage) => {
  if (message.type === 'ack') sink?.acknowledge();
  else if (message.type === 'screened') screened?.(message.file);
  else if (message.type === 'draw') void answer(() => draw(message.request));
  else if (message.type === 'anchor') void answer(() => anchor(message.request));
  else if (message.type === 'apply_rules') void answer(() => applyRules(message.request));
  else void extract(message.request);
});

async function extract(request: Requested<'extract'>): Promise<void> {
  sink = new PageSender(request, send, lend);
  try {
    const parse = await parserFor(request.kind);
    send({ type: 'ready', resident: process.memoryUsage.rss() });
    await parse(request, sink);
    send({ type: 'done', ...sink.finish() });
  } catch (error) {
    send(toFailure(error));
  }
}

/** One file at a time: each is read before the next one is looked at, those within it included. */
function lend(file: AttachedFile): Promise<ScreenedFile> {
  return new Promise((resolve) => {
    screened = resolve;
    send({ type: 'attached', file });
  });
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
  return { type: 'failed', ...failureOf(error) };
}

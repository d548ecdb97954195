import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileKind } from '@app/documents/kit';
import { AttachmentScreening } from '../../attachment-screening.js';
import type { ParseRequest } from '../../child-messages.js';
import type { ExtractedPage } from '../../extracted-page.js';
import { unpackSent } from '../../packed-page.js';
import { ReadingFolder } from '../../reading-folder.js';
import { PageSender } from '../page-sender.js';
import { parserFor } from '../parser.js';

interface Read {
  pages: ExtractedPage[];
  notice: string;
  tainted: boolean;
}

/** Runs a parser in this process, with a sink that is acknowledged at once. */
export async function extractText(kind: FileKind, content: Buffer | string): Promise<ExtractedPage[]> {
  return (await extractWhole(kind, content)).pages;
}

/** Likewise, with what is told of it. */
export async function extractWhole(
  kind: FileKind,
  content: Buffer | string,
  asked: Partial<ParseRequest> = {},
): Promise<Read> {
  const folder = await mkdtemp(join(tmpdir(), 'extract-'));
  const lent = new ReadingFolder();
  const screening = new AttachmentScreening(lent);
  try {
    const path = join(folder, `file.${kind}`);
    await writeFile(path, content);
    const pages: ExtractedPage[] = [];
    const limits = { pages: 5000, characters: 1e7 };
    const request = { path, kind, ocr: false, languages: [], limits, ...asked };
    const sink: PageSender = new PageSender(
      request,
      (message) => {
        if (message.type !== 'page') return;
        pages.push(unpackSent(message.page));
        sink.acknowledge();
      },
      (file) => screening.take(file),
    );
    await (
      await parserFor(kind)
    )(request, sink);
    return { pages, ...sink.finish() };
  } finally {
    await screening.end();
    lent.close();
    await rm(folder, { recursive: true });
  }
}

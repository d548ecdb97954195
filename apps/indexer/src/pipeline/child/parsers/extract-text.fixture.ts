import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileKind } from '@app/documents/kit';
import type { ExtractedPage } from '../../extracted-page.js';
import { unpackSent } from '../../packed-page.js';
import { PageSink } from '../page-sink.js';
import { parserFor } from '../parser.js';

/** Runs a parser in this process, with a sink that is acknowledged at once. */
export async function extractText(kind: FileKind, content: Buffer | string): Promise<ExtractedPage[]> {
  const folder = await mkdtemp(join(tmpdir(), 'extract-'));
  try {
    const path = join(folder, `file.${kind}`);
    await writeFile(path, content);
    const pages: ExtractedPage[] = [];
    const request = { path, kind, ocr: false, languages: [], limits: { pages: 5000, characters: 1e7 } };
    const sink: PageSink = new PageSink(request, (message) => {
      if (message.type === 'page') pages.push(unpackSent(message.page));
      sink.acknowledge();
    });
    await (
      await parserFor(kind)
    )(request, sink);
    sink.finish();
    return pages;
  } finally {
    await rm(folder, { recursive: true });
  }
}

import { open } from 'node:fs/promises';
import { CFB } from '@e965/xlsx';
import FileReader from 'word-extractor/lib/file-reader.js';
import { ExtractionError } from '../../extraction-error.js';
import { emitWithExtras } from '../markup/extra-pages.js';
import type { Parser } from '../parser.js';
import { readRaised, Word97Extractor } from './word97-looks.js';

/** In the header of the stream ([MS-DOC] 2.5.2): bytes 10 and 11, of which this bit says that the rest is encrypted. */
const FLAGS_AT = 10;
const ENCRYPTED = 0x0100;

/**
 * Word 97-2003. A form feed in its text is a page break that the author set; tabs part the cells of tables. Headers,
 * footers and comments follow the last page.
 */
export const parseWord97: Parser = async (request, sink) => {
  const document = await readDocument(request.path).catch(async (error: unknown) => {
    if (await isEncrypted(request.path))
      throw new ExtractionError(
        'encrypted',
        'The document is protected by a password. Remove the protection and upload it again.',
        { cause: error },
      );
    throw new ExtractionError('damaged', 'This Word document is damaged.', { cause: error });
  });
  const notes = [
    document.getTextboxes({ includeHeadersAndFooters: false }),
    document.getFootnotes(),
    document.getEndnotes(),
  ];
  const body = document.getBody().replace(/\t+/g, ' | ');
  const text = [body, ...notes.map((note) => note.trim()).filter((note) => note !== '')].join('\n\n');
  const headers = [document.getHeaders({ includeFooters: true }), document.getTextboxes({ includeBody: false })].join(
    '\n',
  );
  await emitWithExtras(sink, readRaised(text).split('\f'), {
    headersAndFooters: readRaised(headers)
      .split('\n')
      .map((line) => ({ kind: 'paragraph', text: line })),
    comments: readRaised(document.getAnnotations()).split('\n'),
  });
};

async function readDocument(path: string) {
  const reader = new FileReader(path);
  await reader.open();
  try {
    return await new Word97Extractor().extract(reader);
  } finally {
    await reader.close();
  }
}

async function isEncrypted(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const found = CFB.find(CFB.read(await file.readFile(), { type: 'buffer' }), 'WordDocument');
    const head = Buffer.from(found?.content.slice(0, 32) ?? []);
    return head.length > FLAGS_AT + 2 && (head.readUInt16LE(FLAGS_AT) & ENCRYPTED) !== 0;
  } catch {
    // Not even a container: then it is damaged, which the caller says.
    return false;
  } finally {
    await file.close();
  }
}

import WordExtractor from 'word-extractor';
import { ExtractionError } from '../../extraction-error.js';
import { normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';
import { cutLongText } from './text.js';

/** Word 97-2003. A form feed in its text is a page break that the author set; tabs part the cells of tables. */
export const parseWord97: Parser = async (request, sink) => {
  const document = await new WordExtractor().extract(request.path).catch((error: unknown) => {
    throw new ExtractionError('damaged', 'This Word document is damaged or protected by a password.', { cause: error });
  });
  const notes = [document.getTextboxes(), document.getFootnotes(), document.getEndnotes()].map((text) => text.trim());
  const body = document.getBody().replace(/\t+/g, ' | ');
  const text = [body, ...notes.filter((note) => note !== '')].join('\n\n');
  for (const page of text.split('\f').flatMap((section) => cutLongText(normaliseText(section)))) {
    await sink.emit({ text: page, ocr: false });
  }
};

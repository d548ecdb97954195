import PostalMime from 'postal-mime';
import { ExtractionError } from '../../extraction-error.js';
import type { Archive } from '../archive.js';
import { decodeHtml, decodeText } from '../decode-text.js';
import { htmlToText } from '../html/html-text.js';
import type { Relation } from './relations.js';

/** Documents that a program has put into a document as they were, for Word to take in: their text by the id of the relation. */
export async function importedParts(
  archive: Archive,
  relations: readonly Relation[],
  readWord: (bytes: Buffer) => Promise<string>,
): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  for (const { id, type, target } of relations) {
    if (type.toLowerCase() !== 'afchunk') continue;
    const bytes = await archive.read(target);
    if (bytes !== null) parts.set(id, await textOfPart(target, bytes, readWord));
  }
  return parts;
}

/** A part that cannot be read is left out, as Word leaves it out. */
async function textOfPart(name: string, bytes: Buffer, readWord: (bytes: Buffer) => Promise<string>): Promise<string> {
  try {
    if (/\.x?html?$/i.test(name)) return htmlToText(decodeHtml(bytes));
    if (/\.te?xt$/i.test(name)) return decodeText(bytes);
    if (/\.mht(?:ml)?$/i.test(name)) {
      const { html, text } = await PostalMime.parse(bytes, { maxNestingDepth: 10 });
      return html === undefined ? (text ?? '') : htmlToText(html);
    }
    return /\.do[ct][xm]$/i.test(name) ? await readWord(bytes) : '';
  } catch (error) {
    if (error instanceof ExtractionError && error.code === 'too_large') throw error;
    return '';
  }
}

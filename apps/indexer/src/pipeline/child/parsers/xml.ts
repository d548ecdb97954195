import { ExtractionError } from '../../extraction-error.js';
import { decodeXml } from '../decode-text.js';
import { childrenOf, textOf, type MarkupElement } from '../markup/element.js';
import { parseXml } from '../markup/xml-tree.js';
import type { Parser } from '../parser.js';
import { emitText, readTextBytes } from './text.js';

const DOCTYPE = /<!DOCTYPE/i;
const MAX_LABEL = 100;

/**
 * XML: every text and every attribute on a line with the names of its elements (`order / item: Paper`), so that a value
 * says what it is. Text with markup within is one line. Entities are read from nowhere, so no declaration is accepted.
 */
export const parseXmlFile: Parser = async (request, sink) => {
  const xml = decodeXml(await readTextBytes(request.path));
  if (DOCTYPE.test(xml.slice(0, 100_000)))
    throw new ExtractionError(
      'unsupported',
      'XML files with a document type declaration (<!DOCTYPE>) are not read. Remove it and upload the file again.',
    );
  let root: MarkupElement;
  try {
    root = parseXml(xml);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    const place = /^\d+:\d+/.exec(error instanceof Error ? error.message : '')?.[0] ?? '';
    const where = place === '' ? '' : ` at line ${place.replace(':', ', column ')}`;
    throw new ExtractionError('damaged', `The file is not well-formed XML${where}.`, { cause: error });
  }
  const lines: string[] = [];
  describe(root, [], lines);
  await emitText(lines.join('\n'), sink);
};

function describe(element: MarkupElement, path: readonly string[], lines: string[]): void {
  const here = [...path.slice(-3), element.name.slice(0, MAX_LABEL).toWellFormed()];
  const label = here.join(' / ');
  for (const [name, value] of Object.entries(element.attributes))
    if (value.trim() !== '') lines.push(`${label} ${name}: ${value.replace(/\s+/g, ' ')}`);
  const words = element.children.some((child) => typeof child === 'string' && child.trim() !== '');
  if (!words) {
    const before = lines.length;
    for (const child of childrenOf(element)) describe(child, here, lines);
    // Records of a list stand apart from each other.
    if (path.length <= 1 && lines.length - before > 1) lines.push('');
    return;
  }
  lines.push(`${label}: ${textOf(element).replace(/\s+/g, ' ').trim()}`);
  for (const child of childrenOf(element)) describeAttributes(child, here, lines);
}

/** Of markup within a text: its words are said. */
function describeAttributes(element: MarkupElement, path: readonly string[], lines: string[]): void {
  for (const [name, value] of Object.entries(element.attributes))
    if (value.trim() !== '') lines.push(`${path.join(' / ')} / ${element.name} ${name}: ${value.replace(/\s+/g, ' ')}`);
  for (const child of childrenOf(element)) describeAttributes(child, path, lines);
}

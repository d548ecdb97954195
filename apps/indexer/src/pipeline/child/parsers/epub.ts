import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { ExtractionError } from '../../extraction-error.js';
import { Archive } from '../archive.js';
import { cutLongText } from '../cut-long-text.js';
import { decodeHtml, decodeText } from '../decode-text.js';
import { htmlBlocks, htmlTitle } from '../html/html-text.js';
import { parseHtml } from '../html/html-tree.js';
import { joinBlocks } from '../markup/blocks.js';
import { childOf, childrenOf, descend, findAll, textOf, type MarkupElement } from '../markup/element.js';
import { normaliseLine, normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';

const CONTAINER = 'META-INF/container.xml';
/** Bytes of all style sheets of a book. */
const MAX_STYLES = 4 * 1024 * 1024;
const PAGE_TYPES = /^(?:application\/xhtml\+xml|text\/html|image\/svg\+xml)$/;

/** A book: title and authors, then its chapters in the order in which it is read. Scripts do not run, links are not followed. */
export const parseEpub: Parser = async (request, sink) => {
  const archive = await Archive.open(await readFile(request.path));
  const path = await packagePath(archive);
  const book = await archive.readXml(path);
  if (book === null) throw new ExtractionError('damaged', 'The book is damaged: its list of chapters is missing.');
  const closed = await encryptedParts(archive);
  const chapters = chaptersOf(book, posix.dirname(path));
  if (chapters.length > 0 && chapters.every((chapter) => closed.has(chapter)))
    throw new ExtractionError('encrypted', 'The book is protected against copying and cannot be read.');
  const about = aboutLines(childOf(book, 'opf:metadata'));
  const sheets = await styleSheets(archive, book, posix.dirname(path), closed);
  if (about !== '') await sink.emit({ text: about, ocr: false, label: 'About this book' });
  for (const chapter of chapters) {
    const bytes = closed.has(chapter) ? null : await archive.read(chapter);
    if (bytes === null) continue;
    const page = parseHtml(decodeHtml(bytes).replace(/^\s*<\?xml[^>]*>/, ''), (href) =>
      sheets.get(nameOf(href, posix.dirname(chapter))),
    );
    const text = normaliseText(joinBlocks(htmlBlocks(page)));
    const heading = findAll(page, 'h1', 'h2', 'h3').map(textOf)[0] ?? '';
    const label = normaliseLine(heading || htmlTitle(page)).slice(0, 200);
    if (text === '') continue;
    for (const piece of cutLongText(text))
      await sink.emit({ text: piece, ocr: false, ...(label === '' ? {} : { label }) });
  }
};

async function packagePath(archive: Archive): Promise<string> {
  const container = await archive.readXml(CONTAINER);
  const file = findAll(container ?? undefined, 'container:rootfile', 'rootfile')[0];
  const path = file?.attributes['full-path'];
  if (path === undefined)
    throw new ExtractionError('damaged', 'The book is damaged: it does not say where its chapters are.');
  const normal = posix.normalize(path);
  // Some programs write it as the addresses within the book are written.
  return (await archive.read(normal)) === null ? nameOf(normal, '') : normal;
}

/** The style sheets of a book by their names: they say what its pages do not show, and what they raise. */
async function styleSheets(
  archive: Archive,
  book: MarkupElement,
  folder: string,
  closed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const sheets = new Map<string, string>();
  let room = MAX_STYLES;
  for (const { attributes } of childrenOf(childOf(book, 'opf:manifest'), 'opf:item')) {
    const name = nameOf(attributes['href'] ?? '', folder);
    if (attributes['media-type'] !== 'text/css' || closed.has(name) || sheets.has(name) || room <= 0) continue;
    const bytes = await archive.read(name);
    room -= bytes?.length ?? 0;
    if (bytes !== null && room >= 0) sheets.set(name, decodeText(bytes));
  }
  return sheets;
}

/** Names of the parts in reading order; what the order does not mention follows it. */
function chaptersOf(book: MarkupElement, folder: string): string[] {
  const items = new Map(
    childrenOf(childOf(book, 'opf:manifest'), 'opf:item')
      .filter(({ attributes }) => PAGE_TYPES.test(attributes['media-type'] ?? ''))
      .map(({ attributes }) => [attributes['id'] ?? '', nameOf(attributes['href'] ?? '', folder)]),
  );
  const spine = childrenOf(childOf(book, 'opf:spine'), 'opf:itemref').flatMap(
    ({ attributes }) => items.get(attributes['idref'] ?? '') ?? [],
  );
  return [...new Set(spine.length > 0 ? spine : items.values())];
}

function nameOf(href: string, folder: string): string {
  const path = href.split('#')[0] ?? '';
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    // A percent sign that is one.
  }
  return posix.join(folder, decoded);
}

async function encryptedParts(archive: Archive): Promise<Set<string>> {
  const list = await archive.readXml('META-INF/encryption.xml').catch(() => null);
  const references = findAll(list ?? undefined, 'enc:CipherReference', 'CipherReference');
  return new Set(references.map(({ attributes }) => posix.normalize(attributes['URI'] ?? '')));
}

function aboutLines(metadata: MarkupElement | undefined): string {
  const say = (label: string, name: string) => {
    const values = childrenOf(metadata, name)
      .map((each) => normaliseLine(textOf(each)))
      .filter((value) => value !== '');
    return values.length === 0 ? '' : `${label}: ${[...new Set(values)].join(', ')}`;
  };
  const description = htmlDescription(descend(metadata, 'dc:description'));
  return [
    say('Title', 'dc:title'),
    say('Author', 'dc:creator'),
    say('Publisher', 'dc:publisher'),
    say('Date', 'dc:date'),
    description,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Publishers write markup into it. */
function htmlDescription(element: MarkupElement | undefined): string {
  const written = element ? textOf(element) : '';
  const text = normaliseText(joinBlocks(htmlBlocks(parseHtml(written))));
  return text === '' ? '' : `Description: ${text}`;
}

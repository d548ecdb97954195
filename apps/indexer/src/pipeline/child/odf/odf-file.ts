import { ExtractionError } from '../../extraction-error.js';
import { Archive } from '../archive.js';
import type { Block } from '../markup/blocks.js';
import { descend, findAll, type MarkupElement } from '../markup/element.js';
import { OdfLists } from './odf-lists.js';
import { OdfLooks } from './odf-looks.js';
import { OdfText } from './odf-text.js';

/** Formatting, which takes most of the room. */
const FORMATTING_OF_STYLES = [
  'text',
  'paragraph',
  'section',
  'table',
  'table-column',
  'table-row',
  'table-cell',
  'graphic',
  'chart',
  'drawing-page',
].map((kind) => `style:${kind}-properties`);
export const FORMATTING = new Set([
  'style:style',
  'style:default-style',
  'style:font-face',
  'number:number-style',
  'number:date-style',
  'number:time-style',
  'style:page-layout',
]);
/** Styles are kept where they may hide something; what they look like else is not. */
const FORMATTING_BUT_STYLES = new Set(
  [...FORMATTING, ...FORMATTING_OF_STYLES].filter((name) => name !== 'style:style' && name !== 'style:page-layout'),
);
const BODY_KINDS = ['office:text', 'office:presentation', 'office:spreadsheet', 'office:drawing', 'office:chart'];
const LABELS = /^(?:text:(?:page-number|page-count|sheet-name|file-name|title|date|time)|presentation:date-time)$/;

/** An opened OpenDocument file: its body, and what else of it is text. */
export interface OdfFile {
  body: MarkupElement;
  text: OdfText;
  /** What stands above and below every page, each once. */
  headersAndFooters: Block[];
}

/** @throws Error when it is damaged, ExtractionError `too_large` */
export async function openOdf(bytes: Buffer): Promise<OdfFile> {
  const archive = await openOdfArchive(bytes);
  const looks = new OdfLooks();
  const content = await archive.readXml('content.xml', FORMATTING_BUT_STYLES, looks.note);
  const styles = await archive.readXml('styles.xml', FORMATTING_BUT_STYLES, looks.note).catch(() => null);
  looks.learn([styles, content]);
  const body = bodyOf(content);
  if (body === undefined) throw new Error('The file has no body.');
  const text = new OdfText(new OdfLists([content, styles]), await embeddedTexts(archive), looks);
  return { body, text, headersAndFooters: headersAndFooters(styles, text) };
}

/** @throws ExtractionError `encrypted`: OpenDocument encrypts its parts one by one, and says so in its list of parts */
export async function openOdfArchive(bytes: Buffer): Promise<Archive> {
  const archive = await Archive.open(bytes);
  const manifest = (await archive.read('META-INF/manifest.xml'))?.toString('utf8') ?? '';
  if (!/<(?:\w+:)?encryption-data\b/.test(manifest)) return archive;
  throw new ExtractionError(
    'encrypted',
    'The file is protected by a password. Remove the protection and upload it again.',
  );
}

function bodyOf(root: MarkupElement | null): MarkupElement | undefined {
  if (root?.name === 'math:math') return root;
  return BODY_KINDS.map((kind) => descend(root ?? undefined, 'office:body', kind)).find((found) => found !== undefined);
}

/** Charts and formulas are small documents of their own, in folders of the archive. */
export async function embeddedTexts(archive: Archive): Promise<Map<string, Block[]>> {
  const texts = new Map<string, Block[]>();
  for (const name of archive.names(/^[^/]+\/content\.xml$/)) {
    const body = bodyOf(await archive.readXml(name, FORMATTING).catch(() => null));
    if (body) texts.set(name.slice(0, -'/content.xml'.length), new OdfText(new OdfLists([])).blocks(body));
  }
  return texts;
}

export function headersAndFooters(styles: MarkupElement | null, text: OdfText): Block[] {
  const master = descend(styles ?? undefined, 'office:master-styles');
  const parts = findAll(master, 'style:header', 'style:footer', 'style:header-left', 'style:footer-left').concat(
    findAll(master, 'style:header-first', 'style:footer-first'),
  );
  // A page's number says nothing, once for a whole document.
  return parts.filter((part) => /\p{L}{2}/u.test(said(part))).flatMap((part) => text.blocks(part));
}

function said(part: MarkupElement): string {
  return part.children
    .map((child) => (typeof child === 'string' ? child : LABELS.test(child.name) ? '' : said(child)))
    .join('');
}

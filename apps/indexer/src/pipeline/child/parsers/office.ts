import { readFile } from 'node:fs/promises';
import { parseOffice } from 'officeparser';
import type { OfficeContentNode } from 'officeparser';
import type { FileKind } from '@app/documents';
import { ExtractionError } from '../../extraction-error.js';
import { readArchiveParts } from '../archive-parts.js';
import { decodeText } from '../decode-text.js';
import { normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';
import { chartText } from './drawings.js';
import { renderNode, renderNodes } from './office-nodes.js';
import { splitAtPageBreaks } from './office-pages.js';
import { cutLongText } from './text.js';

type OfficeKind = Extract<FileKind, 'docx' | 'odt' | 'rtf' | 'html' | 'pptx' | 'odp'>;

const FAILURES: Record<string, ExtractionError> = {
  PASSWORD_REQUIRED: new ExtractionError(
    'encrypted',
    'The file is protected by a password. Remove the protection and upload it again.',
  ),
  XML_ELEMENT_LIMIT_EXCEEDED: new ExtractionError('too_large', 'The file is too complex to be read. Split it.'),
};

/** Word, OpenDocument, RTF, HTML and presentations, all through officeparser's tree. */
export const parseOfficeFile: Parser = async (request, sink) => {
  const kind = request.kind as OfficeKind;
  const bytes = await readFile(request.path);
  const content = await toTree(toReadable(bytes, kind), kind);
  if (kind === 'pptx' || kind === 'docx') await describeCharts(content, bytes);
  if (kind === 'pptx' || kind === 'odp') {
    const slides = placedSlides(content);
    sink.announce(slides.length);
    for (const slide of slides)
      await sink.emit({ text: slide ? slideText(slide) : '', label: slide && slideTitle(slide), ocr: false });
    return;
  }
  const sections = kind === 'docx' || kind === 'odt' ? splitAtPageBreaks(content) : [content];
  const pages = sections.flatMap((nodes) => cutLongText(normaliseText(renderNodes(nodes))));
  sink.announce(pages.length);
  for (const text of pages) await sink.emit({ text, ocr: false });
};

/** What a reader sees of a page that is part of something else. @throws ExtractionError for one of too many elements */
export async function htmlToText(html: string): Promise<string> {
  return normaliseText(renderNodes(await toTree(Buffer.from(html, 'utf8'), 'html')));
}

async function toTree(bytes: Buffer, kind: OfficeKind): Promise<OfficeContentNode[]> {
  const wantsPageBreaks = kind === 'docx' || kind === 'odt';
  try {
    const tree = await parseOffice(bytes, { fileType: kind, includeRawContent: wantsPageBreaks });
    return tree.content;
  } catch (error) {
    throw FAILURES[issueCode(error)] ?? error;
  }
}

/** officeparser takes HTML for UTF-8, and runs the words around an RTF page break together. */
function toReadable(bytes: Buffer, kind: OfficeKind): Buffer {
  if (kind === 'html') return Buffer.from(decodeText(bytes), 'utf8');
  if (kind === 'rtf') return Buffer.from(bytes.toString('latin1').replace(/\\page(?![a-z])/g, '\\par '), 'latin1');
  return bytes;
}

function issueCode(error: unknown): string {
  const issue: unknown = error instanceof Error && 'officeIssue' in error ? error.officeIssue : null;
  return issue !== null && typeof issue === 'object' && 'code' in issue ? String(issue.code) : '';
}

/** officeparser reads charts only together with every picture of the file, for which there is no room. */
async function describeCharts(content: readonly OfficeContentNode[], bytes: Buffer): Promise<void> {
  const charts = chartsIn(content);
  if (charts.length === 0) return;
  const parts = await readArchiveParts(bytes, /^(?:ppt|word)\/charts\/[^/]+\.xml$/);
  const byName = new Map([...parts].map(([path, xml]) => [path.split('/').at(-1), xml]));
  for (const chart of charts) chart.text = chartText(byName.get(chart.metadata?.attachmentName) ?? '');
}

function chartsIn(nodes: readonly OfficeContentNode[]): (OfficeContentNode & { type: 'chart' })[] {
  return nodes.flatMap((node) => (node.type === 'chart' ? [node] : chartsIn(node.children ?? [])));
}

/** Slides at their places. officeparser leaves out those that hold nothing, which have a number all the same. */
function placedSlides(content: readonly OfficeContentNode[]): (OfficeContentNode | undefined)[] {
  const slides: (OfficeContentNode | undefined)[] = [];
  for (const node of content) {
    if (node.type !== 'slide') continue;
    const at = (node.metadata?.slideNumber ?? 0) - 1;
    while (slides.length < at) slides.push(undefined);
    slides.push(node);
  }
  return slides;
}

function slideText(slide: OfficeContentNode): string {
  // A notes page always holds the slide's number, as a field of its own.
  const notes = (slide.notes ?? []).map((note) => renderNode(note)).filter((text) => /[^\d\s]/.test(text));
  const spoken = notes.length > 0 ? `\n\nNotes: ${notes.join('\n')}` : '';
  return normaliseText(renderNodes(slide.children ?? []) + spoken);
}

function slideTitle(slide: OfficeContentNode): string | undefined {
  const nodes = slide.children ?? [];
  const heading =
    nodes.find((node) => node.type === 'heading') ??
    nodes.find((node) => node.type !== 'chart' && renderNode(node).trim() !== '');
  const title = heading ? normaliseText(renderNode(heading)).replaceAll('\n', ' ') : '';
  return title === '' ? undefined : title.slice(0, 200);
}

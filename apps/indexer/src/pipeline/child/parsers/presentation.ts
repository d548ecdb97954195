import { readFile } from 'node:fs/promises';
import { extraPages } from '../markup/extra-pages.js';
import { joinBlocks, type Block } from '../markup/blocks.js';
import { childrenOf, textOf, type MarkupElement } from '../markup/element.js';
import { normaliseText } from '../normalise.js';
import { openOdf, type OdfFile } from '../odf/odf-file.js';
import type { PageSink } from '../page-sink.js';
import type { Parser } from '../parser.js';
import { PresentationFile, type ReadSlide } from '../slides/presentation-file.js';

const DECLARATIONS = /^presentation:(?:header|footer|date-time)-decl$/;

/** PPTX and PPTM: slide by slide with notes and comments; then what stands upon their masters. */
export const parsePresentation: Parser = async (request, sink) => {
  const file = await PresentationFile.open(await readFile(request.path));
  const extra = extraPages({ headersAndFooters: await file.masterText() });
  sink.announce(file.slides.length + extra.length);
  for (const part of file.slides)
    await emitSlide(sink, part === null ? { title: '', text: '' } : await file.readSlide(part));
  for (const page of extra) await sink.emit({ ...page, ocr: false });
};

/** ODP: slide by slide with notes; then footers and comments. */
export const parseOpenDocumentSlides: Parser = async (request, sink) => {
  const file = await openOdf(await readFile(request.path));
  const slides = childrenOf(file.body, 'draw:page').map((slide) => readSlide(file, slide));
  const declared = childrenOf(file.body).filter(({ name }) => DECLARATIONS.test(name));
  const others = childrenOf(file.body).filter(({ name }) => name !== 'draw:page' && !DECLARATIONS.test(name));
  const footers = declared.map((each): Block => ({ kind: 'paragraph', text: textOf(each) }));
  const headersAndFooters = [
    ...footers,
    ...file.headersAndFooters,
    ...others.flatMap((each) => file.text.blocks(each)),
  ];
  const extra = extraPages({ headersAndFooters, comments: file.text.comments });
  sink.announce(slides.length + extra.length);
  for (const slide of slides) await emitSlide(sink, slide);
  for (const page of extra) await sink.emit({ ...page, ocr: false });
};

function isNotes({ name }: MarkupElement): boolean {
  return name === 'presentation:notes';
}

function readSlide({ text }: OdfFile, slide: MarkupElement): ReadSlide {
  if (text.isUnseen(slide)) return { title: '', text: '' };
  const shapes = childrenOf(slide);
  const shown = { ...slide, children: shapes.filter((shape) => !isNotes(shape)) };
  const notes = joinBlocks(shapes.filter(isNotes).flatMap((each) => text.blocks(each)));
  const titled = shapes.find(({ attributes }) => attributes['presentation:class'] === 'title');
  const title = titled ? joinBlocks(text.blocks(titled)).replace(/\s+/g, ' ').trim() : '';
  const words = joinBlocks(text.slide(slide, shown));
  return { title, text: /[^\d\s<>]/.test(notes) ? `${words}\n\nNotes: ${notes}` : words };
}

/** A slide without any words keeps its number. Without a title it is called by its first line. */
async function emitSlide(sink: PageSink, { title, text }: ReadSlide): Promise<void> {
  const clean = normaliseText(text);
  const label = (normaliseText(title).replaceAll('\n', ' ') || clean.split('\n')[0] || '').slice(0, 200);
  await sink.emit({ text: clean, ocr: false, ...(label === '' ? {} : { label }) });
}

import { Archive } from '../archive.js';
import { pagesOf, oneLine } from '../markup/blocks.js';
import { childrenOf, childOf, findAll, textOf, type MarkupElement } from '../markup/element.js';
import type { ExtraText } from '../markup/extra-pages.js';
import type { Hides } from '../markup/tree-builder.js';
import { chartText, diagramText } from '../parsers/drawings.js';
import { Numbering } from './numbering.js';
import { relationsOf, type Relation } from './relations.js';
import { WordText, type WordContext } from './word-text.js';

/** Formatting, which takes most of the room. */
const FORMATTING = new Set([
  'w:rPr',
  'w:tblPr',
  'w:sectPr',
  'w:tblGrid',
  'w:pBdr',
  'w:tabs',
  'w:latentStyles',
  'a:graphicFrameLocks',
  'wps:spPr',
  'wps:style',
  'wps:bodyPr',
]);
/** Text that its author has set as hidden is neither seen nor printed. */
const HIDES: Hides = (name, attributes) =>
  name === 'w:vanish' && !/^(?:0|false|off)$/.test(attributes?.['w:val'] ?? '');
const MAIN_PART = 'word/document.xml';

/** Pages of a Word file, and what belongs to none of them. @throws Error when it is damaged, ExtractionError `too_large` */
export async function readWordFile(bytes: Buffer): Promise<{ pages: string[]; extra: ExtraText }> {
  const archive = await Archive.open(bytes);
  const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target ?? MAIN_PART;
  const root = await archive.readXml(main, FORMATTING, HIDES);
  const body = childOf(root ?? undefined, 'w:body');
  if (body === undefined) throw new Error('The file has no body.');
  const relations = await relationsOf(archive, main);
  const context = await contextOf(archive, relations, findAll(body, 'w:lastRenderedPageBreak').length > 0);
  const pages = pagesOf(new WordText(context).blocks(body));
  const headersAndFooters = [];
  for (const { target } of relations.filter(({ type }) => type === 'header' || type === 'footer')) {
    const part = await archive.readXml(target, FORMATTING, HIDES);
    const figures = await figuresOf(archive, await relationsOf(archive, target));
    if (part)
      headersAndFooters.push(
        ...new WordText({ ...context, figures, laidOut: true }).blocks(part).filter(({ kind }) => kind !== 'page'),
      );
  }
  return { pages, extra: { headersAndFooters, comments: await commentsOf(archive, relations, context) } };
}

async function contextOf(archive: Archive, relations: readonly Relation[], laidOut: boolean): Promise<WordContext> {
  const part = async (type: string) => {
    const target = relations.find((relation) => relation.type === type)?.target;
    return target === undefined ? null : archive.readXml(target, FORMATTING, HIDES);
  };
  const notes = new Map<string, MarkupElement>();
  for (const kind of ['footnote', 'endnote'])
    for (const note of childrenOf(
      (await part(`${kind}s`)) ?? (await archive.readXml(`word/${kind}s.xml`, FORMATTING, HIDES)) ?? undefined,
      `w:${kind}`,
    ))
      notes.set(`${kind} ${note.attributes['w:id']}`, note);
  const numbering = new Numbering(await part('numbering'), await part('styles'));
  return { numbering, notes, figures: await figuresOf(archive, relations), laidOut };
}

/** Charts and diagrams that a part refers to, as text by the id of the relation. */
export async function figuresOf(archive: Archive, relations: readonly Relation[]): Promise<Map<string, string>> {
  const figures = new Map<string, string>();
  for (const { id, type, target } of relations) {
    if (!/^(?:chart|chartEx|diagramData)$/.test(type)) continue;
    const part = await archive.readXml(target).catch(() => null);
    if (part) figures.set(id, type === 'diagramData' ? diagramText(part) : chartText(part));
  }
  return figures;
}

async function commentsOf(archive: Archive, relations: readonly Relation[], context: WordContext): Promise<string[]> {
  const target = relations.find(({ type }) => type === 'comments')?.target;
  const root = target === undefined ? null : await archive.readXml(target, FORMATTING, HIDES);
  return childrenOf(root ?? undefined, 'w:comment').flatMap((comment) => {
    const said = oneLine(new WordText(context).blocks(comment)) || findAll(comment, 'w:t').map(textOf).join('');
    const author = comment.attributes['w:author'] ?? '';
    return said.trim() === '' ? [] : [author === '' ? said : `${author}: ${said}`];
  });
}

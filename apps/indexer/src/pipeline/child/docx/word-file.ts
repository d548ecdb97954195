import { Archive } from '../archive.js';
import { pagesOf, oneLine } from '../markup/blocks.js';
import { childrenOf, childOf, findAll, textOf, type MarkupElement } from '../markup/element.js';
import type { ExtraText } from '../markup/extra-pages.js';
import { chartText, diagramText } from '../parsers/drawings.js';
import { importedParts } from './imported-parts.js';
import { Numbering } from './numbering.js';
import { relationsOf, type Relation } from './relations.js';
import { isWhitePaper, noteOwnLook, WordLooks } from './word-looks.js';
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
const MAIN_PART = 'word/document.xml';

/**
 * Pages of a Word file, and what belongs to none of them.
 * @param within whether it stands within another one
 * @throws Error when it is damaged, ExtractionError `too_large`
 */
export async function readWordFile(
  bytes: Buffer,
  { within = false } = {},
): Promise<{ pages: string[]; extra: ExtraText }> {
  const archive = await Archive.open(bytes);
  const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target ?? MAIN_PART;
  const relations = await relationsOf(archive, main);
  const styles = await stylesOf(archive, relations);
  const looks = new WordLooks(styles);
  const root = await archive.readXml(main, FORMATTING, looks.note);
  const body = childOf(root ?? undefined, 'w:body');
  if (body === undefined) throw new Error('The file has no body.');
  const margins = [];
  for (const { target } of relations.filter(({ type }) => type === 'header' || type === 'footer')) {
    const part = await archive.readXml(target, FORMATTING, looks.note);
    if (part) margins.push({ part, figures: await figuresOf(archive, await relationsOf(archive, target)) });
  }
  const context = {
    ...(await notesOf(archive, relations, styles, looks)),
    // One level: whoever puts together a report does it once.
    imported: within
      ? new Map<string, string>()
      : await importedParts(archive, relations, async (part) =>
          (await readWordFile(part, { within: true })).pages.join('\n\n'),
        ),
    laidOut: findAll(body, 'w:lastRenderedPageBreak').length > 0,
    // What a letterhead draws, or a cover that is a picture, stands in a header.
    isOnWhite: [root, ...margins.map(({ part }) => part)].every(isWhitePaper),
  };
  const pages = pagesOf(new WordText(context).blocks(body));
  const headersAndFooters = margins.flatMap(({ part, figures }) =>
    new WordText({ ...context, figures, laidOut: true }).blocks(part).filter(({ kind }) => kind !== 'page'),
  );
  return { pages, extra: { headersAndFooters, comments: await commentsOf(archive, relations, context) } };
}

async function stylesOf(archive: Archive, relations: readonly Relation[]): Promise<MarkupElement | null> {
  const target = relations.find(({ type }) => type === 'styles')?.target;
  return target === undefined ? null : archive.readXml(target, FORMATTING, noteOwnLook);
}

async function notesOf(
  archive: Archive,
  relations: readonly Relation[],
  styles: MarkupElement | null,
  looks: WordLooks,
): Promise<Omit<WordContext, 'imported' | 'laidOut' | 'isOnWhite'>> {
  const part = async (type: string) => {
    const target = relations.find((relation) => relation.type === type)?.target;
    return target === undefined ? null : archive.readXml(target, FORMATTING, looks.note);
  };
  const notes = new Map<string, MarkupElement>();
  for (const kind of ['footnote', 'endnote'])
    for (const note of childrenOf(
      (await part(`${kind}s`)) ?? (await archive.readXml(`word/${kind}s.xml`, FORMATTING, looks.note)) ?? undefined,
      `w:${kind}`,
    ))
      notes.set(`${kind} ${note.attributes['w:id']}`, note);
  const numbering = new Numbering(await part('numbering'), styles);
  return { numbering, notes, looks, figures: await figuresOf(archive, relations) };
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
  const root = target === undefined ? null : await archive.readXml(target, FORMATTING, context.looks.note);
  return childrenOf(root ?? undefined, 'w:comment').flatMap((comment) => {
    const said = oneLine(new WordText(context).blocks(comment)) || findAll(comment, 'w:t').map(textOf).join('');
    const author = comment.attributes['w:author'] ?? '';
    return said.trim() === '' ? [] : [author === '' ? said : `${author}: ${said}`];
  });
}

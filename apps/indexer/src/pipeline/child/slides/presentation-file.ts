import { Archive } from '../archive.js';
import { relationsOf, type Relation } from '../docx/relations.js';
import { figuresOf } from '../docx/word-file.js';
import { joinBlocks, type Block } from '../markup/blocks.js';
import { childOf, childrenOf, findAll, textOf, type MarkupElement } from '../markup/element.js';
import { drawingText } from '../parsers/drawings.js';
import { SlideColours } from './slide-colours.js';
import { SlideArea } from './slide-area.js';
import { notesText, SlideText } from './slide-text.js';

export interface ReadSlide {
  title: string;
  text: string;
}

const MAIN_PART = 'ppt/presentation.xml';

/** A PPTX file: its slides in the order of the show, and what their masters say on each of them. */
export class PresentationFile {
  private readonly colours: SlideColours;

  private constructor(
    private readonly archive: Archive,
    private readonly authors: ReadonlyMap<string, string>,
    /** Names of the slides' parts; null for one that the file has lost. */
    readonly slides: readonly (string | null)[],
    private readonly area: SlideArea,
  ) {
    this.colours = new SlideColours(archive);
  }

  /** @throws Error when it is damaged, ExtractionError `too_large` */
  static async open(bytes: Buffer): Promise<PresentationFile> {
    const archive = await Archive.open(bytes);
    const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target ?? MAIN_PART;
    const root = await archive.readXml(main);
    if (root === null) throw new Error('The file has no main part.');
    const relations = await relationsOf(archive, main);
    const slides = childrenOf(childOf(root, 'p:sldIdLst'), 'p:sldId').map(
      ({ attributes }) => relations.find(({ id }) => id === attributes['r:id'])?.target ?? null,
    );
    return new PresentationFile(archive, await authorsOf(archive, relations), slides, SlideArea.of(root));
  }

  /** A slide that is hidden says nothing: no audience is shown it. */
  async readSlide(part: string): Promise<ReadSlide> {
    const root = await this.archive.readXml(part);
    if (root === null || /^(?:0|false)$/.test(root.attributes['show'] ?? '')) return { title: '', text: '' };
    const relations = await relationsOf(this.archive, part);
    const layout = relations.find(({ type }) => type === 'slideLayout')?.target;
    const isUnseen = await this.colours.unseenOn(root, layout);
    const slide = new SlideText(await figuresOf(this.archive, relations), undefined, this.area, isUnseen);
    const parts = [joinBlocks(slide.blocks(root))];
    for (const { type, target } of relations) {
      const other = /^(?:notesSlide|comments)$/.test(type) ? await this.archive.readXml(target) : null;
      if (other === null) continue;
      const text = type === 'comments' ? this.commentsText(other) : notesText(other);
      if (text !== '') parts.push(type === 'comments' ? text : `Notes: ${text}`);
    }
    return { title: slide.title, text: parts.filter((text) => text !== '').join('\n\n') };
  }

  /** Words upon the masters and layouts that are no placeholders: they stand on every slide made from them. */
  async masterText(): Promise<Block[]> {
    const blocks: Block[] = [];
    for (const name of this.archive.names(/^ppt\/slide(?:Masters|Layouts)\/[^/]+\.xml$/)) {
      const root = await this.archive.readXml(name);
      if (root) blocks.push(...new SlideText(new Map(), (placeholder) => placeholder === null).blocks(root));
    }
    return blocks.filter((block) => !('text' in block) || /\p{L}/u.test(block.text));
  }

  private commentsText(part: MarkupElement): string {
    return findAll(part, 'p:cm', 'p188:cm')
      .flatMap((comment) => [comment, ...findAll(comment, 'p188:reply')])
      .map((comment) => {
        const said = childOf(comment, 'p:text') ?? childOf(comment, 'p188:txBody');
        const text = said === undefined ? '' : said.name === 'p:text' ? textOf(said) : drawingText(said);
        const author = this.authors.get(comment.attributes['authorId'] ?? '') ?? '';
        return text.trim() === '' ? '' : `Comment: ${author === '' ? '' : `${author}: `}${text.trim()}`;
      })
      .filter((line) => line !== '')
      .join('\n');
  }
}

async function authorsOf(archive: Archive, relations: readonly Relation[]): Promise<Map<string, string>> {
  const authors = new Map<string, string>();
  for (const { type, target } of relations) {
    if (!/^(?:commentAuthors|authors)$/.test(type)) continue;
    const root = await archive.readXml(target);
    for (const { attributes } of childrenOf(root ?? undefined))
      authors.set(attributes['id'] ?? '', attributes['name'] ?? '');
  }
  return authors;
}

import { GAP, joinBlocks, paragraph, tableBlocks, type Block, type TableCell } from '../markup/blocks.js';
import { childOf, childrenOf, descend, findAll, type MarkupElement } from '../markup/element.js';
import { alternative } from '../docx/word-text.js';
import { paragraphText } from '../parsers/drawings.js';
import type { SlideArea } from './slide-area.js';

/** Of a notes page: the picture of the slide and its number, which is a field of every such page. */
const OF_THE_PAGE = new Set(['sldImg', 'sldNum']);

/** What a layout fills with points: several paragraphs of it are some unless they say that they are none. */
const LISTED = new Set(['obj', 'body']);

/** Shapes, which say first what they are called and whether they are hidden. */
const DRAWN = new Set(['p:sp', 'p:pic', 'p:graphicFrame', 'p:grpSp', 'p:cxnSp']);

/** Walks the shapes of a slide, of its notes or of a master. */
export class SlideText {
  /** Text of the title's placeholder. */
  title = '';

  /**
   * @param figures charts and diagrams as text, by the id of the relation
   * @param wanted whether a shape that is the placeholder of this type (null: of none) is read
   * @param area what lies beside it is not seen; null for what is no slide
   * @param isUnseenRun tells of a run whether its colour hides it
   */
  constructor(
    private readonly figures: ReadonlyMap<string, string>,
    private readonly wanted: (placeholder: string | null) => boolean = (placeholder) => placeholder !== 'sldNum',
    private area: SlideArea | null = null,
    private readonly isUnseenRun: (run: MarkupElement) => boolean = () => false,
  ) {}

  blocks(parent: MarkupElement): Block[] {
    return childrenOf(parent).flatMap((child): Block[] => {
      if (this.isUnseen(child)) return [];
      switch (child.name) {
        case 'p:grpSp':
          return this.group(child);
        case 'p:sp':
          return this.shape(child);
        case 'p:pic':
          return paragraph(descend(child, 'p:nvPicPr', 'p:cNvPr')?.attributes['descr'] ?? '');
        case 'a:tbl':
          return tableBlocks(childrenOf(child, 'a:tr').map((row) => childrenOf(row, 'a:tc').map(cellOf)));
        case 'a:p':
          return textBlocks([child]);
        case 'c:chart':
        case 'dgm:relIds':
          return paragraph(this.figures.get(child.attributes['r:id'] ?? child.attributes['r:dm'] ?? '') ?? '');
        case 'mc:AlternateContent':
          return this.blocks(alternative(child));
        default:
          return this.blocks(child);
      }
    });
  }

  private isUnseen(child: MarkupElement): boolean {
    const named = DRAWN.has(child.name) ? descend(childrenOf(child)[0], 'p:cNvPr') : undefined;
    return (
      /^(?:1|true)$/.test(named?.attributes['hidden'] ?? '') ||
      (DRAWN.has(child.name) && this.area?.isBeside(child) === true)
    );
  }

  private group(group: MarkupElement): Block[] {
    const outer = this.area;
    this.area = outer?.within(group) ?? null;
    const blocks = this.blocks(group);
    this.area = outer;
    return blocks;
  }

  private shape(shape: MarkupElement): Block[] {
    const placeholder = descend(shape, 'p:nvSpPr', 'p:nvPr', 'p:ph');
    const type = placeholder ? (placeholder.attributes['type'] ?? 'obj') : null;
    if (!this.wanted(type)) return [];
    const blocks = textBlocks(findAll(shape, 'a:p'), this.isUnseenRun, type !== null && LISTED.has(type));
    if (type === 'title' || type === 'ctrTitle') this.title ||= joinBlocks(blocks).replace(/\s+/g, ' ').trim();
    return blocks;
  }
}

/** Only what the speaker wrote. */
export function notesText(notes: MarkupElement): string {
  return joinBlocks(new SlideText(new Map(), (placeholder) => !OF_THE_PAGE.has(placeholder ?? '')).blocks(notes));
}

function cellOf(cell: MarkupElement): TableCell {
  // What a neighbour covers is there as an empty cell.
  const rows = Number(cell.attributes['rowSpan'] ?? 1) || 1;
  return { blocks: textBlocks(findAll(cell, 'a:p')), rows: Math.min(rows, 1) };
}

function textBlocks(
  paragraphs: readonly MarkupElement[],
  isUnseen?: (run: MarkupElement) => boolean,
  isListed = false,
): Block[] {
  const counted: number[] = [];
  const isPoints = isListed && paragraphs.filter((each) => paragraphText(each, isUnseen).trim() !== '').length > 1;
  const blocks = paragraphs.flatMap((each): Block[] => {
    const properties = childOf(each, 'a:pPr');
    const level = Math.min(Number(properties?.attributes['lvl'] ?? 0) || 0, 8);
    const text = paragraphText(each, isUnseen);
    if (text.trim() === '') return [];
    const numbered = childOf(properties, 'a:buAutoNum');
    counted.length = level + 1;
    if (numbered) counted[level] = (counted[level] ?? Number(numbered.attributes['startAt'] ?? 1) - 1) + 1;
    const isPoint =
      numbered ?? childOf(properties, 'a:buChar') ?? ((level > 0 || isPoints) && !childOf(properties, 'a:buNone'));
    if (!isPoint) return paragraph(text);
    return [{ kind: 'item', text: `${'  '.repeat(level)}${numbered ? `${counted[level]}.` : '-'} ${text}` }];
  });
  return blocks.some(({ kind }) => kind === 'item') ? [GAP, ...blocks, GAP] : blocks;
}

import { GAP, oneLine, paragraph, tableBlocks, type Block, type TableCell } from '../markup/blocks.js';
import { childOf, childrenOf, textOf, type MarkupElement } from '../markup/element.js';
import { isPlacedFormula, withFormula, type PlacedFormula } from '../markup/formula.js';
import { InlineText, withRaised } from '../markup/inline-text.js';
import { isUnseen, OdfLooks } from './odf-looks.js';
import { indent, OdfLists } from './odf-lists.js';

/** Said to nobody: deleted text, templates of indexes, pictures as base64, sources of formulas. */
const UNSEEN = new Set([
  'text:tracked-changes',
  'text:table-of-content-source',
  'text:illustration-index-source',
  'text:table-index-source',
  'text:object-index-source',
  'text:user-index-source',
  'text:alphabetical-index-source',
  'text:bibliography-source',
  'office:binary-data',
  'office:scripts',
  'office:event-listeners',
  'math:annotation',
  'text:note-citation',
]);
/** Elements that are read as blocks wherever they stand. */
const BLOCK =
  /^(?:text:(?:p|h|list|list-item|list-header|section|numbered-paragraph|index-body)$|(?:draw|svg|table|office):)/;
const MAX_REPEATED = 500;

/** Walks the body of an OpenDocument file. What it does not know it walks through: no text is lost to a new element. */
export class OdfText {
  /** `author: text`, in the order of the file. */
  readonly comments: string[] = [];
  /** Whether what is read stands on white, as far as is known, and in white. */
  private isOnWhite: boolean;
  private isPale = false;
  /** Upon a slide where no shape has a colour. */
  private isUponClear = false;

  constructor(
    private readonly lists: OdfLists,
    /** Texts of embedded charts and formulas by their address. */
    private readonly objects: ReadonlyMap<string, Block[]> = new Map(),
    private readonly looks: OdfLooks = new OdfLooks(),
  ) {
    this.isOnWhite = looks.mayLoseWords;
  }

  /** Whether it is there and shown nowhere. */
  isUnseen(child: MarkupElement): boolean {
    return UNSEEN.has(child.name) || isUnseen(child, this.looks);
  }

  blocks(parent: MarkupElement): Block[] {
    return parent.children.flatMap((child): Block[] => {
      if (typeof child === 'string') return paragraph(child);
      return this.block(child);
    });
  }

  /** The shapes of a slide. @param shown those of them that are wanted */
  slide(slide: MarkupElement, shown: MarkupElement): Block[] {
    const before = this.isOnWhite;
    this.isOnWhite = this.isUponClear = this.looks.isWhiteSlide(slide);
    const blocks = this.blocks(shown);
    this.isUponClear = false;
    this.isOnWhite = before;
    return blocks;
  }

  private block(child: MarkupElement, made?: (text: string) => Block[]): Block[] {
    if (this.isUnseen(child)) return [];
    return this.upon(this.isColoured(child), () => this.shownBlock(child, made));
  }

  /** Whether an element may put a colour behind its words. Boxes have one of their own. */
  private isColoured(child: MarkupElement): boolean {
    if (!this.isOnWhite) return false;
    if (child.name.startsWith('draw:')) return !this.isUponClear;
    return child.name.startsWith('table:') ? this.looks.isColoured(child) : this.looks.of(child).isBacked === true;
  }

  private upon<T>(isColoured: boolean, read: () => T): T {
    const before = this.isOnWhite;
    if (isColoured) this.isOnWhite = false;
    const found = read();
    this.isOnWhite = before;
    return found;
  }

  private shownBlock(child: MarkupElement, made?: (text: string) => Block[]): Block[] {
    switch (child.name) {
      case 'text:p':
      case 'text:h':
        return this.paragraph(child, made);
      case 'text:list':
        return [GAP, ...this.list(child, child.attributes['text:style-name'] ?? '', 1), GAP];
      case 'table:table':
        return tableBlocks(this.rows(child));
      case 'text:soft-page-break':
        return [{ kind: 'page' }];
      case 'office:annotation':
        this.comment(child);
        return [];
      case 'draw:object':
        return this.objects.get((child.attributes['xlink:href'] ?? '').replace(/^\.\//, '')) ?? this.blocks(child);
      case 'svg:title':
      case 'svg:desc':
        return paragraph(textOf(child));
      default:
        return isInline(child) ? this.paragraph({ ...child, children: [child] }, made) : this.blocks(child);
    }
  }

  private paragraph(parent: MarkupElement, made?: (text: string) => Block[]): Block[] {
    const inline = new InlineText();
    const before = this.isPale;
    this.isPale = false;
    this.inlineOf(parent, inline);
    this.isPale = before;
    return inline.toBlocks(made);
  }

  /** In the colours of the element's own style. */
  private inlineOf(parent: MarkupElement, into: InlineText): void {
    const look = this.looks.of(parent);
    const before = this.isPale;
    this.isPale = look.isPale ?? before;
    this.upon(look.isBacked === true, () => this.inline(parent, into));
    this.isPale = before;
  }

  private inline(parent: MarkupElement, into: InlineText): void {
    for (const child of parent.children) {
      // A line break in the markup is a blank; those of the text are elements.
      if (typeof child === 'string') {
        if (!this.isPale || !this.isOnWhite) into.text += child.replace(/\s+/g, ' ');
      } else if (!this.isUnseen(child)) this.inlineElement(child, into);
    }
  }

  private inlineElement(child: MarkupElement, into: InlineText): void {
    switch (child.name) {
      case 'text:s':
        into.text += ' ';
        return;
      case 'text:tab':
        into.text += '\t';
        return;
      case 'text:line-break':
        into.text += '\n';
        return;
      case 'text:soft-page-break':
        into.breakPage();
        return;
      case 'text:note':
        into.notes.push(oneLine(this.blocks(childOf(child, 'text:note-body') ?? child)));
        return;
      case 'text:ruby':
        this.inline(childOf(child, 'text:ruby-base') ?? child, into);
        into.text += ` (${textOf(childOf(child, 'text:ruby-text') ?? child)})`;
        return;
      default:
        if (isInline(child)) this.inlineSpan(child, into);
        else into.behind.push(...this.block(child));
    }
  }

  private inlineSpan(span: MarkupElement, into: InlineText): void {
    const isRaised = span.name === 'text:span' && this.looks.of(span).isRaised === true;
    const before = into.text;
    if (isRaised) into.text = '';
    const formula = span.name.replace(/^math:/, '');
    if (formula !== span.name && isPlacedFormula(formula)) this.formula(formula, span, into);
    else this.inlineOf(span, into);
    if (isRaised) into.text = withRaised(before, into.text);
  }

  private formula(name: PlacedFormula, formula: MarkupElement, into: InlineText): void {
    const before = into.text;
    const parts = childrenOf(formula).map((part) => {
      into.text = '';
      this.inlineSpan(part, into);
      return into.text;
    });
    into.text = withFormula(before, name, parts);
  }

  private list(list: MarkupElement, style: string, level: number): Block[] {
    this.lists.begin(list, style, level);
    return childrenOf(list).flatMap((item) => {
      let mark = item.name === 'text:list-item' ? this.lists.mark(item, style, level) : '';
      const made = (text: string): Block[] => {
        if (text.trim() === '') return [];
        const line = (mark || `${indent(level)}  `) + text;
        mark = '';
        return [{ kind: 'item', text: line }];
      };
      return childrenOf(item).flatMap((child) => {
        if (child.name !== 'text:list') return this.block(child, made);
        return this.list(child, child.attributes['text:style-name'] ?? style, level + 1);
      });
    });
  }

  private rows(table: MarkupElement): TableCell[][] {
    return childrenOf(table).flatMap((child): TableCell[][] => {
      if (child.name === 'table:table-row') return [this.upon(this.isColoured(child), () => this.cells(child))];
      if (/^table:table-(?:row|header)/.test(child.name)) return this.rows(child);
      // A table's title and the shapes upon a sheet stand in rows of their own.
      const others = this.block(child);
      return others.length > 0 ? [[{ blocks: others }]] : [];
    });
  }

  private cells(row: MarkupElement): TableCell[] {
    const cells: TableCell[] = [];
    for (const child of childrenOf(row)) {
      const blocks = this.upon(this.isColoured(child), () => this.blocks(child));
      // What another cell covers is usually empty, and then that cell says how far it reaches.
      if (child.name === 'table:covered-table-cell' && blocks.length === 0) continue;
      const repeated = Math.min(Number(child.attributes['table:number-columns-repeated']) || 1, MAX_REPEATED);
      const columns = Number(child.attributes['table:number-columns-spanned']) || 1;
      const rows = Number(child.attributes['table:number-rows-spanned']) || 1;
      for (let n = 0; n < repeated; n += 1) cells.push({ blocks, columns, rows });
    }
    return cells;
  }

  private comment(annotation: MarkupElement): void {
    const author = textOf(childOf(annotation, 'dc:creator') ?? childOf(annotation, 'meta:creator-initials') ?? '');
    const said = childrenOf(annotation).filter(({ name }) => !/^(?:dc|meta):/.test(name));
    const text = oneLine(said.flatMap((part) => this.block(part)));
    if (text !== '') this.comments.push(author === '' ? text : `${author}: ${text}`);
  }
}

/** Links and spans hold words; of any other element it depends on what it holds. */
function isInline(child: MarkupElement): boolean {
  if (child.name === 'text:span' || child.name === 'text:a') return true;
  return !BLOCK.test(child.name) && childrenOf(child).every(isInline);
}

import { oneLine, paragraph, tableBlocks, type Block, type TableCell } from '../markup/blocks.js';
import { childOf, childrenOf, findAll, textOf, type Look, type MarkupElement } from '../markup/element.js';
import { officeFormula } from '../markup/formula.js';
import { InlineText, withRaised } from '../markup/inline-text.js';
import { formFieldText } from './form-fields.js';
import type { Numbering } from './numbering.js';
import { symbolOf } from './symbols.js';
import { isShaded, type WordLooks } from './word-looks.js';

/** What the body of a document refers to. */
export interface WordContext {
  numbering: Numbering;
  /** By kind and id: `footnote 2`. */
  notes: ReadonlyMap<string, MarkupElement>;
  /** Charts and diagrams as text, by the id of the relation. */
  figures: ReadonlyMap<string, string>;
  /** Documents that were put into it as they were, as text, by the id of the relation. */
  imported: ReadonlyMap<string, string>;
  /** Pages as they were laid out last, else the breaks that the author set: both at once would count one break twice. */
  laidOut: boolean;
  looks: WordLooks;
  /** Whether what has no colour behind it stands on white. */
  isOnWhite: boolean;
}

/** Deleted text, instructions of fields, and what describes rather than says something. */
const UNSEEN = new Set([
  'w:del',
  'w:moveFrom',
  'w:delText',
  'w:instrText',
  'w:delInstrText',
  'w:sdtPr',
  'w:sdtEndPr',
  'w:tblPr',
  'w:tblGrid',
  'w:rt',
  'w:annotationRef',
]);
const PAGES = new Set(['page']);

/** Walks the body, a note, a header or a comment of a Word document. */
export class WordText {
  private isOnWhite: boolean;
  /** What the style of the paragraph says of its words. */
  private styled: Look = {};

  constructor(private readonly context: WordContext) {
    this.isOnWhite = context.isOnWhite;
  }

  blocks(parent: MarkupElement): Block[] {
    return childrenOf(parent).flatMap((child): Block[] => {
      if (UNSEEN.has(child.name) || child.look?.isHidden) return [];
      if (child.name === 'w:p') return this.paragraph(child);
      if (child.name === 'w:tbl') return this.upon(child.look?.isBacked, () => tableBlocks(this.rows(child)));
      if (child.name === 'w:altChunk')
        return paragraph(this.context.imported.get(child.attributes['r:id'] ?? '') ?? '');
      if (child.name === 'mc:AlternateContent') return this.blocks(alternative(child));
      if (/^(?:w:r|w:hyperlink|m:oMath|m:oMathPara)$/.test(child.name))
        return this.paragraph({ ...child, children: [child] });
      return this.blocks(child);
    });
  }

  private paragraph(parent: MarkupElement): Block[] {
    const properties = childOf(parent, 'w:pPr');
    const { mark, level } = this.context.numbering.mark(properties);
    const inline = new InlineText();
    const breakBefore = childOf(properties, 'w:pageBreakBefore');
    if (!this.context.laidOut && breakBefore && !/^(?:0|false|off)$/.test(breakBefore.attributes['w:val'] ?? ''))
      inline.breakPage();
    const look = this.context.looks.of(childOf(properties, 'w:pStyle')?.attributes['w:val']);
    const before = this.styled;
    this.styled = look;
    this.upon(look.isBacked || isShaded(properties), () => this.inline(parent, inline));
    this.styled = before;
    return inline.toBlocks((text) => {
      if (text.trim() === '') return [];
      const isPoint = mark === '- ' || (mark !== '' && childOf(properties, 'w:numPr') !== undefined);
      return isPoint ? [{ kind: 'item', text: '  '.repeat(level) + mark + text }] : paragraph(mark + text);
    });
  }

  private inline(parent: MarkupElement, into: InlineText): void {
    for (const child of childrenOf(parent)) {
      if (UNSEEN.has(child.name) || this.isUnseen(child)) continue;
      if (child.look?.isRaised) this.raised(child, into);
      else this.inlineElement(child, into);
    }
  }

  private raised(run: MarkupElement, into: InlineText): void {
    const before = into.text;
    into.text = '';
    this.inlineElement(run, into);
    into.text = withRaised(before, into.text);
  }

  private isUnseen(child: MarkupElement): boolean {
    const { look, name } = child;
    if (look === undefined && name !== 'w:r') return false;
    if (look?.isHidden ?? this.styled.isHidden) return true;
    const isPale = (look?.isPale ?? this.styled.isPale) && !look?.isBacked && this.isOnWhite;
    // What is anchored in a run has colours of its own.
    return isPale === true && findAll(child, 'w:drawing', 'w:pict', 'w:object').length === 0;
  }

  /** @param isBacked whether there is a colour behind what is read, upon which white may be seen */
  private upon<T>(isBacked: boolean | undefined, read: () => T): T {
    const before = this.isOnWhite;
    if (isBacked) this.isOnWhite = false;
    const found = read();
    this.isOnWhite = before;
    return found;
  }

  private inlineElement(child: MarkupElement, into: InlineText): void {
    const { name, attributes } = child;
    switch (name) {
      case 'w:t':
        into.text += textOf(child);
        return;
      case 'w:tab':
      case 'w:ptab':
        into.text += '\t';
        return;
      case 'w:br':
        if (!PAGES.has(attributes['w:type'] ?? '')) into.text += '\n';
        else if (!this.context.laidOut) into.breakPage();
        return;
      case 'w:lastRenderedPageBreak':
        if (this.context.laidOut) into.breakPage();
        return;
      case 'w:cr':
        into.text += '\n';
        return;
      case 'w:noBreakHyphen':
        into.text += '-';
        return;
      case 'w:sym':
        into.text += symbolOf(attributes['w:font'] ?? '', attributes['w:char'] ?? '');
        return;
      case 'w:fldChar':
        into.text += formFieldText(child);
        return;
      case 'm:oMath':
        into.text += officeFormula(child, (part) => this.isUnseen(part));
        return;
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        this.note(`${name.slice(2, -'Reference'.length)} ${attributes['w:id']}`, into);
        return;
      case 'w:ruby':
        this.inline(childOf(child, 'w:rubyBase') ?? child, into);
        into.text += ` (${findAll(childOf(child, 'w:rt'), 'w:t').map(textOf).join('')})`;
        return;
      case 'mc:AlternateContent':
        this.inline(alternative(child), into);
        return;
      default:
        this.anchored(child, into);
    }
  }

  /** Boxes, pictures and charts stand behind the paragraph that they are anchored in. */
  private anchored(child: MarkupElement, into: InlineText): void {
    const { name, attributes } = child;
    if (name === 'w:txbxContent' || name === 'w:p' || name === 'w:tbl')
      into.behind.push(
        ...this.upon(name === 'w:txbxContent', () =>
          this.blocks(name === 'w:txbxContent' ? child : { ...child, children: [child] }),
        ),
      );
    else if (name === 'c:chart' || name === 'dgm:relIds')
      into.behind.push(...paragraph(this.context.figures.get(attributes['r:id'] ?? attributes['r:dm'] ?? '') ?? ''));
    else if (name === 'wp:docPr' && !/^(?:1|true)$/.test(attributes['hidden'] ?? ''))
      into.behind.push(...paragraph(attributes['descr'] ?? ''));
    else if (name === 'v:textpath') into.behind.push(...paragraph(attributes['string'] ?? ''));
    else if (name === 'a:t') into.text += textOf(child);
    else this.inline(child, into);
  }

  private note(key: string, into: InlineText): void {
    const note = this.context.notes.get(key);
    if (note) into.notes.push(oneLine(this.blocks(note)));
  }

  private rows(table: MarkupElement): TableCell[][] {
    const cells = rowsOf(table).map((row) => ({
      before: Number(childOf(childOf(row, 'w:trPr'), 'w:gridBefore')?.attributes['w:val'] ?? 0),
      cells: cellsOf(row).map((cell) => this.cell(cell)),
    }));
    const open = new Map<number, TableCell>();
    return cells.map(({ before, cells }) => {
      let column = Math.min(before, 100);
      const line: TableCell[] = Array.from({ length: column }, () => ({ blocks: [] }));
      for (const { merge, ...cell } of cells) {
        const above = open.get(column);
        if (merge === 'continue' && above) above.rows = (above.rows ?? 1) + 1;
        else {
          line.push(cell);
          if (merge === 'restart') open.set(column, cell);
          else open.delete(column);
        }
        column += cell.columns ?? 1;
      }
      return line;
    });
  }

  private cell(cell: MarkupElement): TableCell & { merge: string } {
    const properties = childOf(cell, 'w:tcPr');
    const merge = childOf(properties, 'w:vMerge');
    const blocks = this.upon(isShaded(properties), () => this.blocks(cell));
    return {
      blocks,
      columns: Number(childOf(properties, 'w:gridSpan')?.attributes['w:val'] ?? 1) || 1,
      // Whoever writes words into a covered cell is shown them by no program, but they are there.
      merge:
        merge === undefined || (blocks.length > 0 && merge.attributes['w:val'] !== 'restart')
          ? ''
          : (merge.attributes['w:val'] ?? 'continue'),
    };
  }
}

/** Rows and cells may stand within content controls and revisions. */
function rowsOf(table: MarkupElement): MarkupElement[] {
  return childrenOf(table)
    .filter(({ name }) => !UNSEEN.has(name))
    .flatMap((child) => (child.name === 'w:tr' ? [child] : rowsOf(child)))
    .filter((row) => childrenOf(childOf(row, 'w:trPr'), 'w:del', 'w:hidden').length === 0);
}

function cellsOf(row: MarkupElement): MarkupElement[] {
  return childrenOf(row)
    .filter(({ name }) => !UNSEEN.has(name))
    .flatMap((child) => (child.name === 'w:tc' ? [child] : cellsOf(child)));
}

/** The same content for new programs and for old ones: the first that says something. */
export function alternative(both: MarkupElement): MarkupElement {
  const [choice = both, ...others] = childrenOf(both, 'mc:Choice', 'mc:Fallback');
  return (
    [choice, ...others].find((each) => findAll(each, 'w:t', 'a:t', 'm:t', 'c:chart', 'dgm:relIds').length > 0) ?? choice
  );
}

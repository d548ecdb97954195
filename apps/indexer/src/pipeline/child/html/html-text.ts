import { GAP, joinBlocks, paragraph, tableBlocks, type Block, type TableCell } from '../markup/blocks.js';
import { childrenOf, findAll, textOf, type MarkupElement, type MarkupNode } from '../markup/element.js';
import { isPlacedFormula, withFormula, type PlacedFormula } from '../markup/formula.js';
import { isExponent, withRaised } from '../markup/inline-text.js';
import { normaliseText } from '../normalise.js';
import { parseHtml } from './html-tree.js';

const BLOCK = new Set(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
/** Stand in the tree and are no text of the page. */
const UNSEEN = new Set('annotation annotation-xml audio canvas head meter param progress rp title video'.split(' '));
/** Boxes within a line, and words of a drawing: they do not go on with the words beside them. */
const BOX = new Set(['button', 'noscript', 'text', 'textarea']);
/** As notes are counted: 1, [1], [a], *. */
const NOTE = /^(?:\[(?:\d{1,3}|[a-z])\]|\d{1,3}|[a-z]|[*†‡§]{1,3})$/iu;
const BACK = /^[↩↑⏎^]\ufe0e?$/u;
const PARAGRAPH_MARK = '\u0000';

/** What a reader sees of a page. @throws ExtractionError for one of too many elements */
export function htmlToText(html: string): string {
  return normaliseText(joinBlocks(htmlBlocks(parseHtml(html))));
}

/** Title of a page; '' without one. */
export function htmlTitle(page: MarkupElement): string {
  return textOf(findAll(page, 'title')[0] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

export function htmlBlocks(page: MarkupElement): Block[] {
  return new HtmlText().blocks(page);
}

class HtmlText {
  /** Words since the last block ended; blanks are kept apart until it does. */
  private words = '';

  blocks(parent: MarkupElement): Block[] {
    const blocks: Block[] = [];
    this.walk(parent, blocks, false);
    this.end(blocks);
    return blocks;
  }

  private walk(parent: MarkupElement, into: Block[], verbatim: boolean): void {
    for (const child of parent.children) {
      if (typeof child === 'string')
        this.words += verbatim ? child.replace(/\r\n?/g, '\n') : child.replace(/[ \t\r\n\f]+/g, ' ');
      else if (!isHidden(child)) this.element(child, into, verbatim);
    }
  }

  private element(child: MarkupElement, into: Block[], verbatim: boolean): void {
    const { name, attributes } = child;
    if (BLOCK.has(name)) {
      this.end(into);
      into.push(...this.block(child));
      return;
    }
    if (name === 'br') this.words = `${this.words.trimEnd()}\n`;
    else if (name === 'wbr') return;
    else if (name === 'img' || name === 'area') this.words += attributes['alt'] ?? '';
    else if (name === 'input') this.words += inputText(attributes);
    else if (name === 'q') this.around(child, '“', '”', into, verbatim);
    else if (BOX.has(name)) this.around(child, ' ', ' ', into, verbatim || name === 'textarea');
    else if (isPlacedFormula(name)) this.formula(name, child, into);
    else if (name === 'rt') this.words += ` (${textOf(child).trim()})`;
    else if (isNoteMark(child)) return;
    else if (name === 'sup' && isExponent(this.words, textOf(child)))
      this.words = withRaised(this.words, textOf(child));
    else this.walk(child, into, verbatim);
  }

  private around(child: MarkupElement, before: string, after: string, into: Block[], verbatim: boolean): void {
    this.words += before;
    this.walk(child, into, verbatim);
    this.words += after;
  }

  private formula(name: PlacedFormula, { children }: MarkupElement, into: Block[]): void {
    const before = this.words;
    const parts = children.flatMap((part) => {
      if (typeof part === 'string') return [];
      this.words = '';
      this.element(part, into, false);
      return this.words;
    });
    this.words = withFormula(before, name, parts);
  }

  private block(child: MarkupElement): Block[] {
    switch (child.name) {
      case 'table':
        return new HtmlText().table(child);
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return [GAP, ...listBlocks(child, 0), GAP];
      case 'li':
        return listBlocks({ ...child, children: [child] }, 0);
      case 'option':
      case 'dt':
      case 'dd':
      case 'summary':
        return new HtmlText()
          .blocks(child)
          .map((block) => (block.kind === 'paragraph' ? { ...block, kind: 'item' } : block));
      case 'pre': {
        const inner = new HtmlText();
        const blocks: Block[] = [];
        inner.walk(child, blocks, true);
        inner.end(blocks);
        return blocks;
      }
      default:
        return new HtmlText().blocks(child);
    }
  }

  private table(table: MarkupElement): Block[] {
    const rows = rowsOf(table);
    const captions = childrenOf(table, 'caption').flatMap((caption) => new HtmlText().blocks(caption));
    const cells = rows.map((row) =>
      cellsOf(row).map((cell): TableCell => ({
        blocks: new HtmlText().blocks(cell),
        columns: span(cell.attributes['colspan']),
        rows: span(cell.attributes['rowspan']),
      })),
    );
    return [
      ...captions,
      ...(isLayout(table, rows) ? cells.flat().flatMap(({ blocks }) => [...blocks, GAP]) : tableBlocks(cells)),
    ];
  }

  private end(into: Block[]): void {
    const text = this.words.replaceAll(PARAGRAPH_MARK, '');
    this.words = '';
    into.push(...paragraph(text));
  }
}

function listBlocks(list: MarkupElement, level: number): Block[] {
  let next = Number(list.attributes['start'] ?? 1) || 1;
  return list.children.flatMap((item): Block[] => {
    if (typeof item === 'string') return paragraph(item);
    if (isHidden(item)) return [];
    if (/^(?:ul|ol|menu|dir)$/.test(item.name)) return listBlocks(item, level + 1);
    let mark = `${'  '.repeat(Math.min(level, 8))}${list.name === 'ol' ? `${Number(item.attributes['value']) || next}.` : '-'} `;
    if (item.name === 'li') next = (Number(item.attributes['value']) || next) + 1;
    const inner: Block[] = [];
    for (const part of partsOf(item)) inner.push(...(Array.isArray(part) ? part : listBlocks(part, level + 1)));
    return inner.map((block): Block => {
      if (block.kind !== 'paragraph') return block;
      const text = mark + block.text.trim();
      mark = '  '.repeat(Math.min(level + 1, 9));
      return { kind: 'item', text };
    });
  });
}

/** An item's words and the lists within it, in their order. */
function partsOf(item: MarkupElement): (Block[] | MarkupElement)[] {
  const parts: (Block[] | MarkupElement)[] = [];
  let run: MarkupElement['children'] = [];
  const flush = () => {
    if (run.length > 0) parts.push(new HtmlText().blocks({ ...item, name: '', children: run }));
    run = [];
  };
  for (const child of item.children) {
    if (typeof child !== 'string' && /^(?:ul|ol|menu|dir)$/.test(child.name) && !isHidden(child)) {
      flush();
      parts.push(child);
    } else run.push(child);
  }
  flush();
  return parts;
}

/** Mail and old pages are laid out by tables of tables, which have no header and no rows that mean anything. */
function isLayout(table: MarkupElement, rows: readonly MarkupElement[]): boolean {
  if (/^(?:presentation|none)$/i.test(table.attributes['role'] ?? '')) return true;
  const cells = rows.flatMap(cellsOf);
  return !cells.some(({ name }) => name === 'th') && cells.some((cell) => findAll(cell, 'table').length > 0);
}

function rowsOf(table: MarkupElement): MarkupElement[] {
  return table.children.flatMap((child): MarkupElement[] => {
    if (typeof child === 'string') return child.trim() === '' ? [] : [wrap('tr', wrap('td', child))];
    if (isHidden(child) || child.name === 'caption') return [];
    if (child.name === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.name) ? rowsOf(child) : [wrap('tr', wrap('td', child))];
  });
}

/** What stands in a table and in no cell is shown all the same. */
function cellsOf(row: MarkupElement): MarkupElement[] {
  return row.children.flatMap((child): MarkupElement[] => {
    if (typeof child === 'string') return child.trim() === '' ? [] : [wrap('td', child)];
    if (isHidden(child)) return [];
    return child.name === 'td' || child.name === 'th' ? [child] : [wrap('td', child)];
  });
}

function wrap(name: string, child: MarkupNode): MarkupElement {
  return { name, attributes: {}, children: [child] };
}

function span(written: string | undefined): number {
  return Math.min(Math.max(Math.trunc(Number(written ?? 1)) || 1, 1), 500);
}

function inputText({ type = 'text', value = '', placeholder = '' }: Readonly<Record<string, string>>): string {
  if (/^(?:hidden|password|checkbox|radio|file|image|color|range)$/i.test(type)) return '';
  return ` ${value || placeholder} `;
}

/**
 * The link from a text to its note, or back: it only leads there, and glues sentences together.
 * @param raised whether it stands above the line, as marks of notes do
 */
function isNoteMark({ name, attributes, children }: MarkupElement, raised = false): boolean {
  const inner = children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (name === 'sup')
    return inner.length > 0 && inner.every((child) => typeof child !== 'string' && isNoteMark(child, true));
  if (name !== 'a' || !(attributes['href'] ?? '').includes('#')) return false;
  const text = inner.map(textOf).join('').trim();
  if (BACK.test(text) || /noteref|backlink/.test(`${attributes['role']} ${attributes['epub:type']}`)) return true;
  const above = raised || inner.some((child) => typeof child !== 'string' && child.name === 'sup');
  return NOTE.test(text) && (above || text.startsWith('['));
}

function isHidden({ name, attributes }: MarkupElement): boolean {
  return UNSEEN.has(name) || attributes['hidden'] !== undefined;
}

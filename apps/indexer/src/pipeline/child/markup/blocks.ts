/**
 * What a document's text is made of. Rows of a table and points of a list stand on lines of their own, next to each
 * other; everything else has blank lines around it. `gap` ends a table or list; `page` begins a page.
 */
export type Block =
  | { kind: 'paragraph' | 'item'; text: string }
  | { kind: 'row'; cells: string[] }
  | { kind: 'gap' }
  | { kind: 'page' };

/** A value that spans rows is repeated in each, so that a row says what it is about; a long one is not. */
const REPEATED_CHARACTERS = 200;
export const GAP: Block = { kind: 'gap' };

export function paragraph(text: string): Block[] {
  return text.trim() === '' ? [] : [{ kind: 'paragraph', text }];
}

/** Text of the blocks, in which page breaks count for nothing. */
export function joinBlocks(blocks: readonly Block[]): string {
  let text = '';
  let before: Block['kind'] = 'gap';
  for (const block of blocks) {
    if (block.kind === 'page') continue;
    const next = block.kind === 'gap' ? '' : block.kind === 'row' ? block.cells.join(' | ') : block.text;
    if (next !== '') {
      if (text !== '') text += block.kind === before && block.kind !== 'paragraph' ? '\n' : '\n\n';
      text += next;
    }
    before = block.kind;
  }
  return text;
}

/** The pages that the marks between the blocks part. */
export function pagesOf(blocks: readonly Block[]): string[] {
  const pages: Block[][] = [[]];
  for (const block of blocks) {
    if (block.kind === 'page') pages.push([]);
    else pages.at(-1)?.push(block);
  }
  return pages.map(joinBlocks);
}

/** Everything in one line, as it stands in the cell of a table: its points and rows are parted by semicolons. */
export function oneLine(blocks: readonly Block[]): string {
  let line = '';
  for (const block of blocks) {
    if (block.kind === 'page' || block.kind === 'gap') continue;
    const raw = block.kind === 'row' ? block.cells.filter((cell) => cell !== '').join(', ') : block.text;
    const next = raw.replace(/\s+/g, ' ').trim();
    if (next === '') continue;
    const parted = line === '' ? '' : block.kind === 'paragraph' || /[.:;,!?]$/.test(line) ? ' ' : '; ';
    line += parted + next;
  }
  return line;
}

export interface TableCell {
  blocks: Block[];
  /** Columns that it covers; 1 by default. */
  columns?: number;
  /** Rows that it covers; 1 by default. */
  rows?: number;
}

/**
 * A table, a row on each line. One that has a single column is no table but a frame: what it holds stands as if it were
 * not there. Page breaks within it follow it, or come before it where no text precedes them.
 */
export function tableBlocks(rows: readonly (readonly TableCell[])[]): Block[] {
  const grid = toGrid(rows);
  const width = Math.max(0, ...grid.map((row) => row.findLastIndex((cell) => holdsText(cell.blocks)) + 1));
  const held = rows.flat().flatMap(({ blocks }) => blocks);
  if (width <= 1) return [GAP, ...grid.flatMap(([cell]) => singleCell(cell)), GAP];
  const firstText = held.findIndex((block) => holdsText([block]));
  const breaks = (from: number, to: number) => held.slice(from, to).filter(({ kind }) => kind === 'page');
  const lines = grid.flatMap((row): Block[] => {
    const cells = row.slice(0, width).map(({ blocks }) => oneLine(blocks));
    const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
    return filled.length === 0 ? [] : [{ kind: 'row', cells: filled }];
  });
  return [...breaks(0, firstText), GAP, ...lines, GAP, ...breaks(firstText, held.length)];
}

function holdsText(blocks: readonly Block[]): boolean {
  return blocks.some((block) =>
    block.kind === 'row' ? block.cells.some((cell) => cell !== '') : 'text' in block && block.text.trim() !== '',
  );
}

function singleCell(cell: TableCell | undefined): Block[] {
  const blocks = cell?.blocks ?? [];
  const [only, ...more] = blocks.filter((block) => holdsText([block]));
  // A column of words stays together; a page in a frame keeps its paragraphs.
  if (more.length === 0 && only?.kind === 'paragraph' && !blocks.some(({ kind }) => kind === 'page'))
    return [{ kind: 'item', text: only.text.replace(/\s+/g, ' ').trim() }];
  return blocks;
}

/** Puts each cell into its column, as wide as it is, and repeats in the rows below what covers them. */
function toGrid(rows: readonly (readonly TableCell[])[]): TableCell[][] {
  const covering: { cell: TableCell; left: number }[] = [];
  return rows.map((row) => {
    const line: TableCell[] = [];
    const fill = () => {
      for (let above = covering[line.length]; above && above.left > 0; above = covering[line.length]) {
        above.left -= 1;
        line.push(above.cell);
      }
    };
    for (const cell of row) {
      fill();
      const columns = Math.min(cell.columns ?? 1, 500);
      const repeated = oneLine(cell.blocks).length <= REPEATED_CHARACTERS;
      for (let n = 0; n < columns; n += 1) {
        const below =
          n === 0 && repeated ? { blocks: cell.blocks.filter(({ kind }) => kind !== 'page') } : { blocks: [] };
        covering[line.length] = { cell: below, left: (cell.rows ?? 1) - 1 };
        line.push(n === 0 ? cell : { blocks: [] });
      }
    }
    fill();
    return line;
  });
}

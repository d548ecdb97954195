import type { ExtractedValues } from '../cells/cell-evidence.js';
import type { CoercionHints } from '../coercion/coercion.js';
import type { TableColumn } from '../columns/table-column.js';
import { askField, type AskedField } from './asked-field.js';
import type { DocumentLabels } from './document-labels.js';
import type { DocumentRow } from './document-row.js';
import { isEastern, isTurned } from './digit-order.js';
import { found, joinedText, missing } from './evidence.js';
import { headerAt, type ItemHeader } from './item-header.js';
import type { CellPart } from './item-cells.js';
import { ItemTable } from './item-table.js';
import { readField } from './read-field.js';
import type { PageLayout } from './segment.js';

const SCORE = 0.95;
const COUNTED = new Set(['money', 'number', 'percent']);

/** A line item: what stands in its cells, by asked column. */
export interface Item {
  layout: PageLayout;
  header: ItemHeader;
  cells: ReadonlyMap<number, readonly CellPart[]>;
}

/** A row for each line item of a document's tables; values that the document has once stand in each of them. */
export function itemRows(
  layouts: readonly PageLayout[],
  columns: readonly TableColumn[],
  labels: DocumentLabels,
  document: DocumentRow,
  hints: CoercionHints,
): ExtractedValues[] {
  const asked = columns.map((column) => askField(column, true));
  const items = findItems(layouts, asked, hints);
  if (items.length === 0) return [];
  const headed = new Set(items.flatMap(({ header }) => header.columns.map((one) => one.asked)));
  const once = asked.map((one, index) => {
    if (one.understanding) return missing('model_not_configured');
    if (headed.has(index)) return null;
    if (items.some(({ header }) => header.unclear.has(index))) return missing('several_values');
    // A sum of the document is none of an item.
    if (one.field !== null || COUNTED.has(one.kind)) return missing('label_not_found');
    return document.read(askField(one.column, false));
  });
  return items.map((item) =>
    Object.fromEntries(
      asked.map((one, index) => [one.column.name, once[index] ?? valueOf(item, one, index, hints)] as const),
    ),
  );
}

function valueOf({ layout, cells }: Item, asked: AskedField, index: number, hints: CoercionHints) {
  const parts = cells.get(index);
  if (parts === undefined || parts.length === 0) return missing('no_value');
  // Readers leave out the dash at the end of a line: nobody knows whether "HX" above "100" is HX-100.
  const [{ segment: first }] = parts as [CellPart, ...CellPart[]];
  if (asked.kind === 'identifier' && parts.some(({ segment }) => Math.abs(segment.y0 - first.y0) > layout.line * 0.6))
    return missing('value_unreadable');
  const text = joinedText(layout, parts).replace(/ \| /g, ' ');
  const fromRight = parts.some(({ segment }) => segment.rtl) || isEastern(text);
  if (asked.kind === 'identifier' && layout.scale !== null && fromRight && isTurned(asked, text))
    return missing('value_unreadable');
  const read = readField(asked, text, hints);
  return 'problem' in read ? missing(read.problem) : found(read.value, { layout, parts }, SCORE);
}

/** Through all pages: a table may go on over a page's end, with its heading again or without it. */
function findItems(layouts: readonly PageLayout[], asked: readonly AskedField[], hints: CoercionHints): Item[] {
  const items: Item[] = [];
  let most = 0;
  let open: ItemTable | null = null;
  for (const layout of layouts) {
    open = open === null || open.ended ? null : open.onPage(layout);
    for (let index = 0; index < layout.rows.length; index += 1) {
      const header = headerAt(layout, index, asked);
      if (header !== null && header.matched >= most) {
        if (open !== null) items.push(...open.close());
        most = header.matched;
        open = new ItemTable(layout, header, asked, hints);
        index = header.row;
        continue;
      }
      open?.add(index);
      if (open?.ended === true) {
        items.push(...open.close());
        open = null;
      }
    }
    if (open !== null) items.push(...open.close());
  }
  return items;
}

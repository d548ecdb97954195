import type { ExtractedValues } from '../cells/cell-evidence.js';
import type { RowMode, TableColumn } from '../columns/table-column.js';
import type { SourcePage } from '../source/source-page.js';
import { askField } from './asked-field.js';
import { habitsOf } from './document-habits.js';
import { DocumentLabels } from './document-labels.js';
import { DocumentRow } from './document-row.js';
import { itemRows } from './item-rows.js';
import { layOut } from './page-layout.js';

export interface RulesRequest {
  pages: readonly SourcePage[];
  columns: readonly TableColumn[];
  rowMode: RowMode;
}

/** A row that rules read from a document: each column that was asked for, found or not. */
export type RuleRow = ExtractedValues;

/**
 * What a document says at its labels, in its form fields and tables, with the place of each value: precise before complete. A
 * value that labels leave in doubt is none, and what has to be understood is left to a model.
 * @returns one row, or a row for each line item, of which there may be none
 */
export function extractByRules({ pages, columns, rowMode }: RulesRequest): RuleRow[] {
  const layouts = pages.map(layOut);
  const hints = habitsOf(pages);
  const asked = columns.map((column) => askField(column, false));
  const labels = new DocumentLabels(layouts, asked);
  const document = new DocumentRow(labels, pages, hints);
  if (rowMode === 'document') return [Object.fromEntries(asked.map((one) => [one.column.name, document.read(one)]))];
  return itemRows(layouts, columns, labels, document, hints);
}

import type { TableColumn } from '@app/extraction';
import type { TabularColumn } from '@app/tabular';
import { loadedType } from './loaded-value.js';

/** What every row says of itself, in front of its values. */
const OF_ROW = ['row_id', 'source_uid', 'filename'] as const;

export interface LoadedColumns {
  columns: TabularColumn[];
  /** Name of a statement's column by that of the table's. */
  names: ReadonlyMap<string, string>;
}

/** The columns of a table as statements name them: lower snake case, each once. */
export function loadedColumns(columns: readonly TableColumn[]): LoadedColumns {
  const taken = new Set<string>(OF_ROW);
  const names = new Map<string, string>();
  const own = columns.map((column, index): TabularColumn => {
    const name = freeName(sqlNameOf(column.name) || `column_${index + 1}`, taken);
    names.set(column.name, name);
    const unit = column.format === 'percent' ? { unit: '%' } : {};
    return { name, originalName: column.name, type: loadedType(column), nullable: true, ...unit };
  });
  const ofRow = OF_ROW.map((name): TabularColumn => ({ name, originalName: name, type: 'text', nullable: false }));
  return { columns: [...ofRow, ...own], names };
}

function sqlNameOf(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  return /^\p{N}/u.test(words) ? `c_${words}` : words;
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let at = 2; taken.has(free); at += 1) free = `${name}_${at}`;
  taken.add(free);
  return free;
}

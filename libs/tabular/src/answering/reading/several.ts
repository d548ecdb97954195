import type { AskedColumn } from '../asked-table.js';
import { BETWEEN_THINGS } from './reading-sql.js';
import type { Filter, ReadQuery } from './reading.js';

/**
 * Answers of a survey, tags, languages: where cells name one thing or several, "who used Email" is about the cell `Email`
 * or about each cell with it.
 * @returns the question where it is about each cell with it; null where no condition may be meant so
 */
export function amongSeveral(query: ReadQuery): ReadQuery | null {
  const { measure } = query;
  const filters = query.filters.map(widened);
  const part = measure?.part?.map(widened);
  const { contrast } = query;
  const [first, second] = contrast?.sides.map((side) => ({ ...side, filters: side.filters.map(widened) })) ?? [];
  const same =
    filters.every((filter, at) => filter === query.filters[at]) &&
    (part ?? []).every((filter, at) => filter === measure?.part?.[at]) &&
    [first, second].every(
      (side, at) => side?.filters.every((own, of) => own === contrast!.sides[at]!.filters[of]) ?? true,
    );
  if (same) return null;
  return {
    ...query,
    ...(contrast && first && second ? { contrast: { ...contrast, sides: [first, second] } } : {}),
    filters,
    measure: measure && part ? { ...measure, part } : measure,
  };
}

function widened(filter: Filter): Filter {
  if (filter.kind !== 'values' || filter.implied) return filter;
  const { column, values, negated } = filter;
  const asked = new Set(values.map((value) => value.trim().toLowerCase()));
  // Of a column with many values only some are at hand: then its cells tell.
  const may =
    column.complete !== true || column.values.some((cell) => thingsIn(cell).some((thing) => asked.has(thing)));
  if (column.type !== 'text' || column.unique === true || !may) return filter;
  return { kind: 'among', column, values, ...(negated ? { negated } : {}) };
}

/** Whether cells of the column name several things that others name alone. */
export function namesSeveral({ type, values }: AskedColumn): boolean {
  if (type !== 'text') return false;
  const alone = new Set(values.map((value) => value.trim().toLowerCase()));
  return values.some((value) => thingsIn(value).some((thing) => alone.has(thing)));
}

/** What a cell names, in lower case, where that is more than one thing. */
function thingsIn(cell: string): string[] {
  const parts = cell.toLowerCase().split(new RegExp(BETWEEN_THINGS, 'u'));
  return parts.length > 1 ? parts.map((part) => part.trim()).filter((part) => part !== '') : [];
}

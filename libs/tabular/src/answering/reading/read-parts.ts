import type { AskedTable } from '../asked-table.js';
import { readFilters } from './filters.js';
import type { Mark } from './mark-words.js';
import { Parts } from './parts.js';
import { isNumeric, labelOf, Unclear } from './reading.js';

/** @returns null when a word is not understood. @throws Unclear */
export function readParts(marks: readonly Mark[], table: AskedTable): Parts | null {
  const parts = new Parts(table);
  const rest = readFilters(marks, table, parts.filters);
  if (rest === null) return null;
  let grouping = false;
  for (const [at, mark] of rest.entries()) {
    if (mark.kind === 'column') {
      const taken = takeColumn(parts, mark, grouping, rest.slice(at + 1));
      if (!taken) return null;
    } else if (mark.kind === 'number') {
      if (!parts.top || parts.top.count !== null || !Number.isInteger(mark.number) || mark.number < 1) return null;
      parts.top.count = Math.min(mark.number, 1000);
    } else if (!takeMeaning(parts, mark, rest[at + 1])) return null;
    if (mark.kind === 'by') grouping = true;
    else if (mark.kind !== 'also' && mark.kind !== 'filler' && mark.kind !== 'column') grouping = false;
  }
  return parts;
}

function takeMeaning(parts: Parts, mark: Mark, next: Mark | undefined): boolean {
  switch (mark.kind) {
    case 'aggregate':
      // "Highest 5": as good as "top 5".
      if ((mark.aggregate === 'max' || mark.aggregate === 'min') && next?.kind === 'number') {
        parts.top = { direction: mark.aggregate === 'max' ? 'desc' : 'asc', count: null };
        return true;
      }
      parts.aggregates.push(mark.aggregate);
      return true;
    case 'top':
    case 'bottom':
      parts.top = { direction: mark.kind === 'top' ? 'desc' : 'asc', count: null };
      return true;
    case 'unit':
      parts.unit = mark.unit;
      return true;
    case 'distinct':
      parts.distinct = true;
      return true;
    case 'list':
      parts.lists = true;
      return true;
    case 'which':
      parts.asksWhich = true;
      return true;
    case 'rows':
      parts.namesRows = true;
      return true;
    case 'table':
      parts.namesTable = true;
      return true;
    case 'by':
    case 'also':
    case 'filler':
    case 'equals':
      return true;
    default:
      return false;
  }
}

function takeColumn(
  parts: Parts,
  { columns, aggregateToo, words }: Extract<Mark, { kind: 'column' }>,
  grouping: boolean,
  after: readonly Mark[],
): boolean {
  const another = after.some((mark) => mark.kind === 'column');
  if (aggregateToo?.kind === 'aggregate' && another && !parts.aggregates.includes(aggregateToo.aggregate)) {
    parts.aggregates.push(aggregateToo.aggregate);
    return true;
  }
  const [column, ...others] = columns;
  if (!column) return false;
  if (others.length > 0) throw new Unclear(words.map(({ text }) => text).join(' '), columns.map(labelOf));
  if (grouping && !(parts.top && isNumeric(column))) parts.groups.push({ column });
  else if (!parts.columns.includes(column)) parts.columns.push(column);
  return true;
}

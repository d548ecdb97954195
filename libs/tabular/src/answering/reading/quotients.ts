import type { AskedColumn } from '../asked-table.js';
import { labelOf, Unclear, type ReadQuery } from './reading.js';

export function isQuotient({ arithmetic }: AskedColumn): boolean {
  return arithmetic?.op === '/';
}

/**
 * A quotient over several rows is that of their sums: what all clicks cost, by how many they are.
 * @returns null where two of them stand side by side
 * @throws Unclear where the average of the quotients of the rows may be meant
 */
export function ofSums(query: ReadQuery): ReadQuery | null {
  const { measure } = query;
  if (!measure?.column || !isQuotient(measure.column)) return query;
  if (measure.per || query.contrast || measure.aggregate === 'share') return null;
  const whole: ReadQuery = { ...query, measure: { ...measure, aggregate: 'ratio' }, rivals: [], assumed: false };
  if (measure.aggregate === 'sum') return whole;
  if (measure.aggregate !== 'avg') return query;
  throw new Unclear(labelOf(measure.column), [], 'readings', [whole, query]);
}

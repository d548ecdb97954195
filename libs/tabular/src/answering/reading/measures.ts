import type { AskedColumn } from '../asked-table.js';
import { unitOf } from './conditions.js';
import type { Aggregate } from './lexicon.js';
import { isNumeric, labelOf, Unclear, type ReadQuery } from './reading.js';

/** Numbers whose sum says nothing by itself, or that people may mean one by one. */
const NOT_SUMMED =
  /price|rate|ratio|score|rating|grade|mark|\bage\b|temp|percent|pct|%|share|margin|discount|salary|wage|pay\b|bonus|height|weight|index|level|latitude|longitude|speed|density|average|\bavg\b|mean|median|min|max|year|rank|balance|stock|humidity|pressure|satisfaction|bmi|gpa|life|size|سعر|معدل|نسب|درج|عمر|العمر|راتب|متوسط|حرار|رصيد|تقييم/iu;

/**
 * What a question means that names a column of numbers and no way to reckon: the sum, where its numbers add up.
 * @param key by which it is asked, so that a key with one row each makes all ways the same
 * @throws Unclear where a sum, an average and the single value are equally likely
 */
export function additive(column: AskedColumn, key: AskedColumn | null): Aggregate {
  const label = labelOf(column);
  const isShare = unitOf(column) === '%';
  if (!isShare && !NOT_SUMMED.test(`${column.name.replaceAll('_', ' ')} ${column.originalName}`)) return 'sum';
  if (key?.unique === true) return 'max';
  throw new Unclear(label, [`average ${label}`, `total ${label}`, `highest ${label}`], 'way');
}

/** Sums over several currencies or units of measure are none. @throws Unclear, with the units to choose from */
export function requireOneUnit({ table, measure, groups, filters }: ReadQuery): void {
  const column = measure?.column;
  if (!column || !isNumeric(column) || unitOf(column) !== null || measure.aggregate.startsWith('count')) return;
  const units = table.columns.find(
    ({ type, name, originalName }) =>
      type === 'text' &&
      /^(currency|unit|units|uom|unit of measure|devise|währung|العملة|عملة|الوحدة|وحدة)$/iu.test(
        originalName.trim() || name,
      ),
  );
  if (!units || groups.some((group) => group.column === units)) return;
  const chosen = filters.find((filter) => filter.column === units);
  if (chosen?.kind === 'values' && chosen.values.length === 1) return;
  if (units.complete === true && units.values.length < 2) return;
  throw new Unclear(
    labelOf(column),
    [...(chosen?.kind === 'values' ? chosen.values : units.values), `by ${labelOf(units)}`],
    'way',
  );
}

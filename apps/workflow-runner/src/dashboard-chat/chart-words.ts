import { filterInWords } from '@app/artifacts';
import type { OpenChart } from './chart-desk.js';

const SHOWN_VALUE = 500;

/** What whoever answers from a chart has to know of it. */
export function cautionsOf({ truncated, stale, skipped, rows, allRows }: OpenChart): string[] {
  return [
    ...(truncated ? ['Cut off: its source has more rows, or longer texts, than the chart holds.'] : []),
    ...(stale ? ['Something that it was drawn of is gone: it is not refreshed any more.'] : []),
    ...(rows.length < allRows ? [`The filters leave ${rows.length} of its ${allRows} rows.`] : []),
    ...(skipped.length > 0
      ? [`It has no such columns, so that it is not filtered by: ${skipped.map(filterInWords).join('; ')}.`]
      : []),
  ];
}

/** A cell as it is shown. */
export function shortCell(cell: unknown, characters = SHOWN_VALUE): unknown {
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell ?? null);
  return text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : (cell ?? null);
}

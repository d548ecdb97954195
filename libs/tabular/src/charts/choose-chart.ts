import { cutText } from '@app/common';
import type { QueryResult, ResultColumn } from '../query/query-messages.js';

export const CHART_TYPES = ['bar', 'line', 'pie', 'scatter'] as const;
export type ChartType = (typeof CHART_TYPES)[number];

/** A picture of a result, as Vega-Lite without its data: field `c0` is the first column of the rows, and so on. */
export interface Chart {
  chartType: ChartType;
  title: string;
  spec: Record<string, unknown>;
}

const MOST_BARS = 50;
const MOST_SLICES = 8;
const TITLE_LENGTH = 120;
const ASKED = /\b(chart|plot|graph|diagram|visuali[sz]e|draw)\b|رسم|مخطط|بياني/iu;
const SHARES = /\b(share|percentage|proportion|pie|breakdown)\b|نسبة|حصة|دائري/iu;

/**
 * The chart that suits a result, by its columns; null when none does.
 * @param wanted a type that somebody chose: taken when the columns can carry it
 */
export function chooseChart(result: QueryResult, question: string, wanted: ChartType | 'auto'): Chart | null {
  const { columns, rows } = result;
  const asked = wanted !== 'auto' || ASKED.test(question) || SHARES.test(question);
  if (rows.length < 2) return null;
  const values = columns.flatMap((column, at) => (isMeasure(column) ? [at] : []));
  const labels = columns.flatMap((column, at) => (isLabel(column) ? [at] : []));
  const times = columns.flatMap(({ type }, at) => (type === 'date' || type === 'datetime' ? [at] : []));
  const [value, other] = values;
  if (value === undefined) return null;
  // Rows as they stand in a table are no answer that a picture sums up, unless one is wanted.
  if (!asked && columns.length > 3) return null;
  const chart = (chartType: ChartType, x: number, y: number, colour?: number) => ({
    chartType,
    title: titleOf(question),
    spec: specOf(chartType, columns, { x, y, colour }),
  });
  const [time] = times;
  const [label, second] = labels;
  if (wanted === 'scatter' || (wanted === 'auto' && time === undefined && label === undefined))
    return other !== undefined && asked ? chart('scatter', value, other) : null;
  if (time !== undefined && wanted !== 'pie' && wanted !== 'bar') return chart('line', time, value, label);
  const x = label ?? time;
  if (x === undefined) return null;
  const parts = rows.every((row) => typeof row[value] === 'number' && row[value] >= 0);
  const slices = rows.length <= MOST_SLICES && parts && second === undefined;
  if (wanted === 'pie' || (wanted === 'auto' && SHARES.test(question))) if (slices) return chart('pie', x, value);
  if (wanted === 'line') return chart('line', x, value, second);
  return rows.length <= MOST_BARS ? chart('bar', x, value, second) : null;
}

function isMeasure({ name, type }: ResultColumn): boolean {
  return (type === 'integer' || type === 'number') && !isKey(name) && !isPeriod(name);
}

function isLabel({ name, type }: ResultColumn): boolean {
  return type === 'text' || type === 'boolean' || (type === 'integer' && isPeriod(name));
}

/** Numbers that name things are not measured. */
function isKey(name: string): boolean {
  return /(^|_)(id|code|key|zip|phone)$/i.test(name);
}

function isPeriod(name: string): boolean {
  return /^(year|month|quarter|week|day|hour|السنة|الشهر)$/i.test(name);
}

interface Channels {
  x: number;
  y: number;
  colour: number | undefined;
}

function specOf(chartType: ChartType, columns: readonly ResultColumn[], { x, y, colour }: Channels) {
  const channel = (at: number) => ({ field: `c${at}`, type: vegaType(columns[at]!), title: columns[at]!.name });
  const base = { $schema: 'https://vega.github.io/schema/vega-lite/v6.json' };
  if (chartType === 'pie')
    return {
      ...base,
      mark: { type: 'arc' },
      encoding: { theta: channel(y), color: { ...channel(x), type: 'nominal' } },
    };
  const mark = { bar: { type: 'bar' }, line: { type: 'line', point: true }, scatter: { type: 'point' } }[chartType];
  return {
    ...base,
    mark,
    encoding: {
      // In the order of the rows, which the question may have asked for.
      x: chartType === 'bar' ? { ...channel(x), type: 'nominal', sort: null } : channel(x),
      y: channel(y),
      ...(colour === undefined || colour === x ? {} : { color: channel(colour) }),
    },
  };
}

function vegaType({ name, type }: ResultColumn): string {
  if (type === 'integer' && isPeriod(name)) return 'ordinal';
  if (type === 'date' || type === 'datetime') return 'temporal';
  return type === 'integer' || type === 'number' ? 'quantitative' : 'nominal';
}

function titleOf(question: string): string {
  const line = question.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${cutText(line, TITLE_LENGTH - 1)}…` : line;
}

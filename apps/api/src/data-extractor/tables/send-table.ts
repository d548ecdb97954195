import { pipeline } from 'node:stream/promises';
import type { RowRecord, TableRecord } from '@app/extraction';
import type { Response } from 'express';
import { toRowResponse } from '../rows/row.dto.js';
import { toTableHead } from './table.dto.js';

export type RowBatches = AsyncGenerator<readonly RowRecord[], void>;

/** A table with rows without end, a batch at a time: `{..., "rows": [...], ...more}`. */
export async function* tableText(
  table: TableRecord,
  batches: RowBatches,
  more: () => Record<string, unknown> = () => ({}),
): AsyncGenerator<string> {
  yield `${JSON.stringify(toTableHead(table)).slice(0, -1)},"rows":[`;
  let separator = '';
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => JSON.stringify(toRowResponse(row))).join(',');
    separator = ',';
  }
  const rest = JSON.stringify(more()).slice(1, -1);
  yield rest === '' ? ']}' : `],${rest}}`;
}

/** `{count, tables}`, one after the other. */
export async function* tablesText(
  tables: readonly TableRecord[],
  batchesOf: (table: TableRecord) => RowBatches,
): AsyncGenerator<string> {
  yield `{"count":${tables.length},"tables":[`;
  for (const [index, table] of tables.entries()) {
    if (index > 0) yield ',';
    yield* tableText(table, batchesOf(table));
  }
  yield ']}';
}

/** Errors until the first piece still get a status of their own. */
export async function sendJsonText(response: Response, text: AsyncGenerator<string>): Promise<void> {
  const first = await text.next();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  await pipeline(rest(first, text), response);
}

async function* rest(first: IteratorResult<string>, text: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* text;
}

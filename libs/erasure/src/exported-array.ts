import { Readable } from 'node:stream';

/** One page of an export; `cursor` is where the next one begins. */
export interface ExportedRow {
  cursor: string;
  row: unknown;
}

/**
 * A JSON array of however many rows, of which one page at a time is in memory.
 * @param read the rows after a cursor, in its order; null: from the beginning. None: that was all
 */
export function exportedArray(
  read: (after: string | null) => Promise<readonly ExportedRow[]>,
): () => Promise<Readable> {
  return () => Promise.resolve(Readable.from(written(read)));
}

async function* written(read: (after: string | null) => Promise<readonly ExportedRow[]>): AsyncGenerator<string> {
  let separator = '[';
  for (let after: string | null = null; ;) {
    const page: readonly ExportedRow[] = await read(after);
    for (const { row } of page) {
      yield `${separator}\n${JSON.stringify(row, null, 2)}`;
      separator = ',';
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.cursor;
  }
  yield separator === '[' ? '[]' : '\n]';
}

import { Readable } from 'node:stream';

/** One row of an export; the page after it begins at `cursor`. */
export interface ExportedRow {
  cursor: string;
  row: unknown;
}

/** The rows after a cursor, in its order; null: from the beginning. None: that was all. */
export type ReadExported<Row extends ExportedRow = ExportedRow> = (after: string | null) => Promise<readonly Row[]>;

/** The two halves of a cursor `<id> <moment>`, of rows that are read in the order in which they were made. */
export function placeOf(cursor: string | null): [id: string | null, moment: string | null] {
  const blank = cursor?.indexOf(' ') ?? -1;
  return cursor === null ? [null, null] : [cursor.slice(0, blank), cursor.slice(blank + 1)];
}

/** However many rows, of which one page at a time is in memory. */
export async function* eachExported<Row extends ExportedRow>(read: ReadExported<Row>): AsyncGenerator<Row> {
  for (let after: string | null = null; ;) {
    const page: readonly Row[] = await read(after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.cursor;
  }
}

/** A JSON array of however many rows, of which one page at a time is in memory. */
export function exportedArray(read: ReadExported): () => Promise<Readable> {
  return () => Promise.resolve(Readable.from(arrayOf(read)));
}

/** A JSON object of what is small, and behind it of lists of however many rows, each read as for `exportedArray`. */
export function exportedObject(small: object, lists: Readonly<Record<string, ReadExported>>): () => Promise<Readable> {
  return () => Promise.resolve(Readable.from(objectOf(small, lists)));
}

async function* arrayOf(read: ReadExported): AsyncGenerator<string> {
  let separator = '[';
  for await (const { row } of eachExported(read)) {
    yield `${separator}\n${JSON.stringify(row, null, 2)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : '\n]';
}

async function* objectOf(small: object, lists: Readonly<Record<string, ReadExported>>): AsyncGenerator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(small)) {
    if (value === undefined) continue;
    yield `${separator}\n${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)}`;
    separator = ',';
  }
  for (const [name, read] of Object.entries(lists)) {
    yield `${separator}\n${JSON.stringify(name)}: `;
    yield* arrayOf(read);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '\n}';
}

import { cutText } from '@app/common';
import type { AgentTool, ToolCallContext } from '@app/agents';
import {
  type DeskCall,
  type ExtractedTables,
  ROW_STATUSES,
  type RowRecord,
  type TableDesk,
  type TableRecord,
  type TableRows,
} from '@app/extraction';
import { type QueryRunner, toAskedTables } from '@app/tabular';
import { z } from 'zod';
import { deskTool } from '../agent/desk-tool.js';
import { type RowDatabases, ROWS } from './row-databases.js';

const MOST_READ = 50;
const MOST_CHANGED = 200;
const SHOWN_VALUE = 500;

/** For whom, and at which table. */
export interface TableCaller {
  userId: number;
  turnId: string;
  tableId: string;
}

const rowId = z.uuid();
const text = z.string().max(100_000);
const values = z.record(z.string().max(200), z.json());

const reading = z.strictObject({
  text: z.string().max(500).nullish(),
  status: z.enum(ROW_STATUSES).nullish(),
  after: rowId.nullish(),
  limit: z.int().min(1).max(MOST_READ).default(20),
});
const looking = z.strictObject({ row_ids: z.array(rowId).min(1).max(20), column: z.string().max(200).nullish() });
const asking = z.strictObject({ sql: text.min(1) });
const editing = z.strictObject({
  edits: z
    .array(z.strictObject({ row_id: rowId, column: z.string().max(200), value: z.json() }))
    .min(1)
    .max(MOST_CHANGED),
});
const adding = z.strictObject({
  rows: z
    .array(z.strictObject({ values, filename: z.string().max(500).default('') }))
    .min(1)
    .max(MOST_CHANGED),
});
const deleting = z.strictObject({ row_ids: z.array(rowId).min(1).max(MOST_CHANGED) });
const verifying = z.strictObject({
  cells: z
    .array(z.strictObject({ row_id: rowId, column: z.string().max(200) }))
    .min(1)
    .max(MOST_CHANGED),
  verified: z.boolean().default(true),
});

const ROW_IDS = { type: 'array', items: { type: 'string' }, description: 'As read_rows and query_rows give them.' };

/** All that an agent at a table has: each call asks anew whether its person may do this. */
export class TableTools {
  constructor(
    private readonly tables: ExtractedTables,
    private readonly rows: TableRows,
    private readonly desk: TableDesk,
    private readonly databases: RowDatabases,
    private readonly runner: QueryRunner,
  ) {}

  list(caller: TableCaller): AgentTool[] {
    return [...this.readers(caller), ...this.writers(caller)];
  }

  private readers(caller: TableCaller): AgentTool[] {
    const { userId, tableId } = caller;
    return [
      deskTool({
        name: 'read_rows',
        title: 'Read rows',
        description: `Reads rows of the table in their order, ${MOST_READ} at most at a time: go on with after. text finds rows in which any value or the file name has these words; status finds rows with a cell like that. To filter, count and sum by values use query_rows.`,
        schema: reading,
        properties: {
          text: { type: 'string' },
          status: { type: 'string', enum: [...ROW_STATUSES] },
          after: { type: 'string', description: 'row_id of the last row that was read.' },
          limit: { type: 'integer', minimum: 1, maximum: MOST_READ },
        },
        run: async ({ text: words, status, after, limit }) => {
          const table = await this.tables.get(userId, tableId);
          const filter = { ...(words && { query: words }), ...(status && { status }) };
          const found = await this.rows.page(userId, tableId, filter, after ?? null, limit + 1);
          const shown = found.slice(0, limit).map((row) => shownRow(row, table));
          return { output: { rows: shown, more: found.length > limit, rows_of_the_table: table.rowsCount } };
        },
      }),
      deskTool({
        name: 'query_rows',
        title: 'Query rows',
        description: `Runs one SELECT of DuckDB SQL over the table, which is called "${ROWS}". Its columns are row_id, source_uid, filename and those of the table in lower snake case (anything else but letters and digits is one underscore): SELECT * FROM ${ROWS} LIMIT 1 shows them. Lists and objects are text in JSON.`,
        schema: asking,
        properties: { sql: { type: 'string' } },
        required: ['sql'],
        run: async ({ sql }, { signal }) => {
          const database = await this.databases.open(userId, tableId);
          try {
            const { files } = toAskedTables([database]);
            const [result] = await this.runner.run({ asker: String(userId), files, statements: [sql], signal });
            const { columns, rows, truncated } = result!;
            return { output: { columns: columns.map(({ name }) => name), rows, truncated } };
          } finally {
            await database.release();
          }
        },
      }),
      deskTool({
        name: 'look_at_evidence',
        title: 'Look at evidence',
        description:
          'Shows where values of rows come from: the words of the document, page, how sure the place is (anchored, unanchored, no_evidence), why something is missing, and whether a person edited or verified it.',
        schema: looking,
        properties: { row_ids: ROW_IDS, column: { type: 'string', description: 'All columns when absent.' } },
        required: ['row_ids'],
        run: async ({ row_ids: ids, column }) => {
          const found = await this.desk.evidence(userId, tableId, ids);
          const shown = found.flatMap(({ row, cells }) =>
            cells
              .filter((cell) => !column || cell.column_name === column)
              .map((cell) => ({
                row_id: row.id,
                column: cell.column_name,
                value: shortValue(row.data[cell.column_name]),
                status: cell.status,
                quote: cell.quote,
                pages: [...new Set(cell.spans.map(({ page }) => page))],
                place: cell.place,
                score: cell.score,
                ambiguous: cell.ambiguous,
                reason: cell.reason,
                edited: cell.edited_at !== null,
                verified: cell.verified_at !== null,
              })),
          );
          return { output: { evidence: shown } };
        },
      }),
    ];
  }

  private writers(caller: TableCaller): AgentTool[] {
    const callOf = ({ idempotencyKey: key }: ToolCallContext): DeskCall => ({ ...caller, key });
    return [
      deskTool({
        name: 'edit_cells',
        title: 'Edit cells',
        description: `Sets values of cells, ${MOST_CHANGED} at most at a time, all or none. Each value has to fit the type of its column; null empties the cell.`,
        effects: 'idempotent',
        schema: editing,
        properties: {
          edits: {
            type: 'array',
            maxItems: MOST_CHANGED,
            items: {
              type: 'object',
              properties: { row_id: { type: 'string' }, column: { type: 'string' }, value: {} },
              required: ['row_id', 'column', 'value'],
              additionalProperties: false,
            },
          },
        },
        required: ['edits'],
        run: async ({ edits }, context) => {
          const given = edits.map(({ row_id, column, value }) => ({
            rowId: row_id,
            values: Object.fromEntries([[column, value]]),
          }));
          return { output: await this.desk.edit(callOf(context), given) };
        },
      }),
      deskTool({
        name: 'add_rows',
        title: 'Add rows',
        description: `Adds rows with values by names of columns, ${MOST_CHANGED} at most at a time. What no document says has no evidence.`,
        effects: 'idempotent',
        schema: adding,
        properties: {
          rows: {
            type: 'array',
            maxItems: MOST_CHANGED,
            items: {
              type: 'object',
              properties: { values: { type: 'object' }, filename: { type: 'string' } },
              required: ['values'],
              additionalProperties: false,
            },
          },
        },
        required: ['rows'],
        run: async ({ rows }, context) => ({ output: await this.desk.add(callOf(context), rows) }),
      }),
      deskTool({
        name: 'delete_rows',
        title: 'Delete rows',
        description: `Deletes rows, ${MOST_CHANGED} at most at a time.`,
        effects: 'idempotent',
        schema: deleting,
        properties: { row_ids: ROW_IDS },
        required: ['row_ids'],
        run: async ({ row_ids: ids }, context) => ({
          output: await this.desk.delete(callOf(context), [...new Set(ids)]),
        }),
      }),
      deskTool({
        name: 'verify_cells',
        title: 'Verify cells',
        description:
          'Marks values as verified by the user, or takes that back. Only where the user says that they are right, or were not.',
        effects: 'idempotent',
        schema: verifying,
        properties: {
          cells: {
            type: 'array',
            maxItems: MOST_CHANGED,
            items: {
              type: 'object',
              properties: { row_id: { type: 'string' }, column: { type: 'string' } },
              required: ['row_id', 'column'],
              additionalProperties: false,
            },
          },
          verified: { type: 'boolean' },
        },
        required: ['cells'],
        run: async ({ cells, verified }, context) => {
          const given = cells.map(({ row_id, column }) => ({ rowId: row_id, column }));
          return { output: await this.desk.verify(callOf(context), given, verified) };
        },
      }),
    ];
  }
}

function shownRow({ id, sourceUid, filename, data }: RowRecord, { columns }: TableRecord): Record<string, unknown> {
  const shown = columns.map(({ name }) => [name, shortValue(Object.hasOwn(data, name) ? data[name] : null)] as const);
  return { row_id: id, source_uid: sourceUid, filename, values: Object.fromEntries(shown) };
}

function shortValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > SHOWN_VALUE ? `${cutText(text, SHOWN_VALUE)}…` : (value ?? null);
}

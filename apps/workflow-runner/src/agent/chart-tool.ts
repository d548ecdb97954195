import { type AgentTool, ToolCallError } from '@app/agents';
import type { Charts } from '@app/artifacts';
import { derivedId, toJsonText } from '@app/common';
import { CHART_TYPES, chooseChart, rowsOfItems, TABULAR_TYPES } from '@app/tabular';
import type { TableResult, ToolPorts } from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from './catalogue-tools.js';
import { toCallError } from './tool-failure.js';

/** Namespace of the ids by which a repetition is known. */
const CHARTS = '5d3f0a52-6c0b-4a53-9b1e-8f6f2a1c7d90';
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 20;
const MAX_CELL = 1_000;

const input = z.object({
  title: z.string().trim().min(1).max(120),
  chart_type: z.enum([...CHART_TYPES, 'auto']).default('auto'),
  file_uids: z.array(z.string()).max(5).default([]),
  sql: z.string().max(20_000).default(''),
  rows: z.array(z.record(z.string(), z.unknown())).max(MAX_ROWS).default([]),
});

/** Draws rows, of a query or given ones, as a chart that comes with the answer (docs/contract/boards.md#charts). */
export function chartTool(charts: Charts, { tables }: ToolPorts, { viewer }: Caller): AgentTool {
  const logger = new Logger('chart');
  return {
    name: 'show_chart',
    title: 'Show a chart',
    description:
      'Draws a chart that the user gets with the answer: of a SELECT over table files (file_uids and sql), or of rows that you give. The first text or date column is the axis, the first number column the value. Not for figures alone (database_query), and not for a board that stays (dashboard); what columns there are: list_tables.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', title: 'Title' },
        chart_type: { type: 'string', enum: [...CHART_TYPES, 'auto'] },
        file_uids: { type: 'array', items: { type: 'string' }, maxItems: 5, description: 'Of list_tables.' },
        sql: { type: 'string', description: 'One SELECT, with the rows in the order of the axis.' },
        rows: {
          type: 'array',
          items: { type: 'object' },
          description: `At most ${MAX_ROWS} objects with the same keys.`,
        },
      },
      required: ['title'],
      additionalProperties: false,
    },
    effectsOf: () => 'idempotent',
    approvalFor: () => null,
    run: async (given, { signal, idempotencyKey }) => {
      const parsed = input.safeParse(given);
      if (!parsed.success) throw mistake(z.prettifyError(parsed.error));
      const { title, chart_type: type, file_uids: uids, sql, rows } = parsed.data;
      try {
        const result =
          sql === ''
            ? rowsOfItems(rows, { rows: MAX_ROWS, columns: MAX_COLUMNS, cellCharacters: MAX_CELL })
            : await query();
        const chart = chooseChart(toQueryResult(result), title, type);
        if (!chart)
          throw mistake(
            'These columns make no such chart: it takes two rows or more, a column of numbers and one to put them along.',
          );
        const mgid = derivedId(CHARTS, idempotencyKey);
        const source = {
          type: sql === '' ? 'agent' : 'file',
          source_ref: sql === '' ? '' : uids.map((uid) => `file:${uid}`).join(','),
          sql: sql || null,
        };
        const { title: shownTitle, chartType, spec } = chart;
        const { columns, rows: shownRows, truncated } = result;
        await charts.keep({
          mgid,
          ownerId: viewer.userId,
          turnId: viewer.turnId ?? null,
          workflowId: viewer.workflowId ?? null,
          title: shownTitle,
          chartType,
          spec,
          columns,
          rows: shownRows,
          truncated,
          source,
        });
        return { output: { shown: true, chart_type: chart.chartType, rows: result.rows.length }, mgid };
      } catch (error) {
        signal.throwIfAborted();
        throw toCallError(error, 'show_chart', logger);
      }

      async function query(): Promise<TableResult> {
        if (!tables || uids.length === 0) throw mistake('file_uids: Name the files that the SELECT reads.');
        return tables.query(viewer, uids, sql, signal);
      }
    },
  };
}

function toQueryResult({ columns, rows, truncated }: TableResult) {
  return {
    columns: columns.map(({ name, type }) => ({ name, type: TABULAR_TYPES.find((known) => known === type) ?? 'text' })),
    rows: rows.map((row) => row.map(toCell)),
    truncated,
    durationMs: 0,
  };
}

function toCell(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : toJsonText(value);
}

function mistake(message: string): ToolCallError {
  return new ToolCallError('invalid_params', message, true);
}

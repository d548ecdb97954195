import type { AgentTool } from '@app/agents';
import { QueryRunner } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { deskTool } from '../agent/desk-tool.js';
import { ChartDatabases } from './chart-databases.js';
import { type ChartCaller, ChartDesk, type OpenChart } from './chart-desk.js';
import { cautionsOf, shortCell } from './chart-words.js';

const MOST_READ = 100;
const MOST_GIVEN = 200;
/** As many as one statement may read. */
const MOST_CHARTS = 5;

const mgid = z.uuid().toLowerCase();
const reading = z.strictObject({
  mgid,
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(MOST_READ).default(50),
});
const asking = z.strictObject({
  mgids: z.array(mgid).min(1).max(MOST_CHARTS),
  sql: z.string().min(1).max(20_000),
});

/** All that an agent of dashboard-chat has: both only read, and see no row that the filters leave out. */
@Injectable()
export class ChartTools {
  constructor(
    private readonly desk: ChartDesk,
    private readonly databases: ChartDatabases,
    private readonly runner: QueryRunner,
  ) {}

  list(caller: ChartCaller): AgentTool[] {
    return [this.readRows(caller), this.queryRows(caller)];
  }

  private readRows(caller: ChartCaller): AgentTool {
    return deskTool({
      name: 'read_rows',
      title: 'Read rows',
      description: `Shows rows of one chart in its order, ${MOST_READ} at most at a time. Long texts are cut.`,
      schema: reading,
      properties: {
        mgid: { type: 'string', description: 'The chart, as the message names it.' },
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: MOST_READ },
      },
      required: ['mgid'],
      run: ({ mgid: id, offset, limit }, { signal }) =>
        this.desk.with(caller, id, signal, (chart) => {
          const shown = chart.rows.slice(offset, offset + limit);
          const output = {
            title: chart.title,
            columns: chart.columns.map(({ name, type }) => `${name} ${type}`),
            rows: shown.map((row) => row.map((cell) => shortCell(cell))),
            row_count: chart.rows.length,
            more: offset + shown.length < chart.rows.length,
            as_of: chart.refreshedAt.toISOString(),
            cautions: cautionsOf(chart),
          };
          return { output };
        }),
    });
  }

  private queryRows(caller: ChartCaller): AgentTool {
    return deskTool({
      name: 'query_rows',
      title: 'Query rows',
      description: `Runs one SELECT of DuckDB SQL over the rows of charts, and shows up to ${MOST_GIVEN} rows: the first chart of mgids is the table c1, the next one c2, ${MOST_CHARTS} at most. Columns have their own names, in double quotes.`,
      schema: asking,
      properties: {
        mgids: { type: 'array', items: { type: 'string' }, maxItems: MOST_CHARTS },
        sql: { type: 'string', description: 'For instance SELECT "region", sum("amount") FROM c1 GROUP BY 1.' },
      },
      required: ['mgids', 'sql'],
      run: ({ mgids, sql }, { signal }) =>
        this.databases.with({ caller, mgids, signal }, inShort, async (files, charts) => {
          const asker = String(caller.userId);
          const [result] = await this.runner.run({ asker, files, statements: [sql], signal });
          const { columns, rows, truncated } = result!;
          const output = {
            columns: columns.map(({ name, type }) => `${name} ${type}`),
            rows: rows.slice(0, MOST_GIVEN).map((row) => row.map((cell) => shortCell(cell))),
            row_count: rows.length,
            truncated: truncated || rows.length > MOST_GIVEN,
            tables: charts.map((chart, at) => ({ table: `c${at + 1}`, ...chart })),
          };
          return { output };
        }),
    });
  }
}

const inShort = (chart: OpenChart) => ({
  title: chart.title,
  as_of: chart.refreshedAt.toISOString(),
  cautions: cautionsOf(chart),
});

import type { KeptChart } from '@app/artifacts';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  ObjectField,
  StringField,
} from '../http/fields.js';

export class DashboardDataQuery {
  @StringField({ optional: true, allowBlank: true, maxLength: 64 })
  mgid?: string;

  @StringField({ optional: true, allowBlank: true, maxLength: 1000, description: 'Up to 20, comma-separated.' })
  mgids?: string;
}

export class ChartResponse {
  @StringField()
  mgid: string;

  @StringField()
  title: string;

  @StringField({ description: '`bar`, `line`, `area`, `pie`, `scatter`, `number` or `table`.' })
  chart_type: string;

  @ObjectField({ description: 'Vega-Lite, data included.' })
  spec: Record<string, unknown>;

  @ListField(kinds.object(), { description: '`{name, type}`' })
  columns: { name: string; type: string }[];

  @ListField(kinds.any(), { description: 'Lists of cells, in the order of the columns.' })
  rows: unknown[][];

  @IntegerField()
  row_count: number;

  @BooleanField()
  truncated: boolean;

  @ObjectField({ description: '`{type, source_ref, sql}`; the statement is its owner’s alone.' })
  source: Record<string, unknown>;

  @StringField({ nullable: true })
  workflow_id: string | null;

  @IntegerField({ nullable: true })
  run_version: number | null;

  @DateTimeField()
  refreshed_at: Date;

  @BooleanField({ description: 'Whether something that it shows is gone.' })
  stale: boolean;

  @DateTimeField()
  created_at: Date;
}

export class ChartListResponse {
  @ListField(() => ChartResponse)
  charts: ChartResponse[];

  @ListField(kinds.string())
  not_found: string[];
}

export function toChartResponse(chart: KeptChart): ChartResponse {
  const { mgid, title, columns, rows, truncated, source, stale } = chart;
  const values = rows.map((row) => Object.fromEntries(row.map((cell, at) => [`c${at}`, cell])));
  return {
    mgid,
    title,
    chart_type: chart.chartType,
    spec: { ...chart.spec, title, data: { values } },
    columns,
    rows,
    row_count: rows.length,
    truncated,
    source: { ...source },
    workflow_id: chart.workflowId,
    run_version: chart.runVersion,
    refreshed_at: chart.refreshedAt,
    stale,
    created_at: chart.createdAt,
  };
}

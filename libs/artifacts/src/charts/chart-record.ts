/** What a chart was drawn of. */
export interface ChartSource {
  /** `file`: a query that can be run again; `agent`, `workflow`: rows that were given. */
  type: string;
  /** `file:<uid>`, several with commas; '' for none. */
  source_ref: string;
  sql: string | null;
}

/** A picture of rows (docs/contract/boards.md#charts). */
export interface KeptChart {
  mgid: string;
  ownerId: number;
  title: string;
  chartType: string;
  /** Vega-Lite without its data. */
  spec: Record<string, unknown>;
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
  source: ChartSource;
  workflowId: string | null;
  runVersion: number | null;
  /** Whether something that it shows is gone. */
  stale: boolean;
  refreshedAt: Date;
  createdAt: Date;
}

/** A chart without what it draws. */
export type ChartHead = Pick<
  KeptChart,
  'mgid' | 'ownerId' | 'title' | 'chartType' | 'columns' | 'truncated' | 'source' | 'stale' | 'refreshedAt'
>;

/** What a chart shows. */
export interface ChartContents {
  title: string;
  chartType: string;
  spec: unknown;
  columns: unknown;
  rows: unknown;
  truncated: boolean;
}

/** A chart that a turn, or an agent in a run, draws. */
export interface DrawnChart extends ChartContents {
  mgid: string;
  ownerId: number;
  /** With which it goes, unless it stands on a board then. */
  turnId: string | null;
  workflowId: string | null;
  source: ChartSource;
}

/** A chart that a node of a workflow draws, each run anew. */
export interface ChartOfWorkflow extends ChartContents {
  ownerId: number;
  /** By which the next run finds it. */
  originKey: string;
  workflowId: string | null;
  runVersion: number | null;
  turnId: string | null;
}

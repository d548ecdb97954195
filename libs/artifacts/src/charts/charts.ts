import { ForbiddenError, newId, NotFoundError, toJsonText } from '@app/common';
import { findKnownTableFiles } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { chartIsSeen } from '../sight/seen-on-boards.js';
import type { ChartContents, ChartHead, ChartOfWorkflow, DrawnChart, KeptChart } from './chart-record.js';

type ChartRow = Omit<KeptChart, 'stale'>;

const FILE = 'file:';

/** References to the sources that it shows. */
function referencesOf({ source }: Pick<KeptChart, 'source'>): string[] {
  return source.source_ref ? source.source_ref.split(',') : [];
}

const OF_HEAD = `c.mgid, c.owner_id AS "ownerId", c.title, c.chart_type AS "chartType", c.columns, c.truncated, c.source,
  c.refreshed_at AS "refreshedAt"`;
const COLUMNS = `${OF_HEAD}, c.spec, c.rows, c.workflow_id AS "workflowId", c.run_version AS "runVersion",
  c.created_at AS "createdAt"`;

export const chartNotFound = () => new NotFoundError('Chart not found.', { code: 'chart_not_found' });

/** What is written of a chart, in this order: nothing in it that Postgres cannot keep. */
function toValues({ title, chartType, spec, columns, rows, truncated }: ChartContents): unknown[] {
  return [title.replaceAll('\0', ''), chartType, toJsonText(spec), toJsonText(columns), toJsonText(rows), truncated];
}

/** Of somebody else's nobody is told the statement. */
function seenInOrder<T extends Pick<KeptChart, 'mgid' | 'ownerId' | 'source'>>(
  found: readonly T[],
  viewerId: number,
  mgids: readonly string[],
): T[] {
  const charts = new Map(found.map((chart) => [chart.mgid, chart]));
  return mgids.flatMap((mgid) => {
    const chart = charts.get(mgid);
    if (!chart) return [];
    return chart.ownerId === viewerId ? chart : { ...chart, source: { ...chart.source, sql: null } };
  });
}

/** Charts that answers came with, and those that workflows draw (docs/contract/boards.md#charts). */
@Injectable()
export class Charts {
  constructor(private readonly dataSource: DataSource) {}

  /** Once: a repetition with the same `mgid` changes nothing. */
  async keep({ mgid, ownerId, turnId, workflowId, source, ...contents }: DrawnChart): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO charts (mgid, owner_id, turn_id, workflow_id, source, title, chart_type, spec, columns, rows, truncated)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (mgid) DO NOTHING`,
      [mgid, ownerId, turnId, workflowId, toJsonText(source), ...toValues(contents)],
    );
  }

  /** Takes back what an attempt of a turn had drawn that was lost. */
  async removeOfTurn(turnId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM charts WHERE turn_id = $1', [turnId]);
  }

  /** The chart that its owner drew under the same key is drawn anew; else there is a new one. */
  async draw({ ownerId, originKey, workflowId, runVersion, turnId, ...contents }: ChartOfWorkflow, tx: EntityManager) {
    const source = { type: 'workflow', source_ref: '', sql: null };
    const [{ mgid }] = await tx.query<[{ mgid: string }]>(
      `INSERT INTO charts AS c (mgid, owner_id, origin_key, workflow_id, run_version, turn_id, source,
         title, chart_type, spec, columns, rows, truncated)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (owner_id, origin_key) WHERE origin_key IS NOT NULL DO UPDATE
         SET title = excluded.title, chart_type = excluded.chart_type, spec = excluded.spec, columns = excluded.columns,
           rows = excluded.rows, truncated = excluded.truncated, run_version = excluded.run_version, refreshed_at = now()
       RETURNING c.mgid`,
      [newId(), ownerId, originKey, workflowId, runVersion, turnId, toJsonText(source), ...toValues(contents)],
    );
    return mgid;
  }

  /** Rows of a query that was run again. @returns whether the chart is still there */
  async refresh(mgid: string, contents: ChartContents, tx: EntityManager): Promise<boolean> {
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE charts SET title = $2, chart_type = $3, spec = $4, columns = $5, rows = $6, truncated = $7, refreshed_at = now()
       WHERE mgid = $1`,
      [mgid, ...toValues(contents)],
    );
    return count > 0;
  }

  /**
   * One's own, or one that stands on a board that one sees.
   * @throws NotFoundError for none, ForbiddenError for somebody else's (docs/contract/boards.md#charts)
   */
  async get(viewerId: number, mgid: string): Promise<KeptChart> {
    const [chart] = await this.list(viewerId, [mgid]);
    if (chart) return chart;
    const known = await this.dataSource.query<unknown[]>('SELECT FROM charts WHERE mgid = $1', [mgid]);
    throw known.length === 0
      ? chartNotFound()
      : new ForbiddenError('This chart is not yours.', { code: 'chart_not_yours' });
  }

  /** As `list`, without rows. */
  async heads(viewerId: number, mgids: readonly string[]): Promise<ChartHead[]> {
    const found = await this.dataSource.query<Omit<ChartHead, 'stale'>[]>(
      `SELECT ${OF_HEAD} FROM charts c
       WHERE c.mgid = ANY($1::uuid[]) AND (c.owner_id = $2 OR ${chartIsSeen('c', '$2')})`,
      [mgids, viewerId],
    );
    return seenInOrder(await this.withStaleness(found), viewerId, mgids);
  }

  /** Those that the viewer sees, in the order of `mgids`. */
  async list(viewerId: number, mgids: readonly string[]): Promise<KeptChart[]> {
    const found = await this.dataSource.query<ChartRow[]>(
      `SELECT ${COLUMNS} FROM charts c WHERE c.mgid = ANY($1::uuid[]) AND (c.owner_id = $2 OR ${chartIsSeen('c', '$2')})`,
      [mgids, viewerId],
    );
    return seenInOrder(await this.withStaleness(found), viewerId, mgids);
  }

  /** For work on its behalf, which has checked whose it is. */
  async find(mgid: string): Promise<Omit<KeptChart, 'stale'> | null> {
    const [chart] = await this.dataSource.query<ChartRow[]>(`SELECT ${COLUMNS} FROM charts c WHERE c.mgid = $1`, [
      mgid,
    ]);
    return chart ?? null;
  }

  /** What its owner's sources are at this moment. */
  private async withStaleness<T extends Pick<KeptChart, 'ownerId' | 'source'>>(
    charts: readonly T[],
  ): Promise<(T & { stale: boolean })[]> {
    const owners = [...new Set(charts.map(({ ownerId }) => ownerId))];
    const known = new Map<number, Set<string>>();
    for (const ownerId of owners) {
      const references = charts.filter((chart) => chart.ownerId === ownerId).flatMap(referencesOf);
      known.set(ownerId, await this.sourcesAmong(ownerId, references));
    }
    return charts.map((chart) => ({
      ...chart,
      stale: !referencesOf(chart).every((reference) => known.get(chart.ownerId)!.has(reference)),
    }));
  }

  private async sourcesAmong(ownerId: number, references: readonly string[]): Promise<Set<string>> {
    if (references.length === 0) return new Set();
    const uids = references.flatMap((one) => (one.startsWith(FILE) ? one.slice(FILE.length) : []));
    const found = await findKnownTableFiles(this.dataSource, ownerId, uids);
    return new Set([...found].map((uid) => `${FILE}${uid}`));
  }
}

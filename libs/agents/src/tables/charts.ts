import { ForbiddenError, isUuid, NotFoundError, toJsonText } from '@app/common';
import { findKnownTableFiles } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface KeptChart {
  mgid: string;
  ownerId: number;
  title: string;
  chartType: string;
  spec: Record<string, unknown>;
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
  source: { type: string; source_ref: string; sql: string | null };
  /** Whether a file that it shows is gone. */
  stale: boolean;
  refreshedAt: Date;
  createdAt: Date;
}

/** A chart that an agent draws. */
export interface DrawnChart {
  mgid: string;
  ownerId: number;
  /** Of the turn; of whatever else it was drawn in, nothing is kept. */
  workId: string;
  title: string;
  chartType: string;
  spec: unknown;
  columns: unknown;
  rows: unknown;
  truncated: boolean;
  source: unknown;
}

type ChartRow = Omit<KeptChart, 'stale'>;

const FILE = 'file:';

/** References to the files that it shows. */
function referencesOf({ source }: ChartRow): string[] {
  return source.source_ref ? source.source_ref.split(',') : [];
}

const COLUMNS = `c.mgid, c.owner_id AS "ownerId", c.title, c.chart_type AS "chartType", c.spec, c.columns, c.rows,
  c.truncated, c.source, c.refreshed_at AS "refreshedAt", c.created_at AS "createdAt"`;

/** Charts that answers came with (docs/contract/tables.md#charts). */
@Injectable()
export class Charts {
  constructor(private readonly dataSource: DataSource) {}

  /** Once: a repetition with the same `mgid` changes nothing. */
  async keep(chart: DrawnChart): Promise<void> {
    const { mgid, ownerId, workId, title, chartType, spec, columns, rows, truncated, source } = chart;
    await this.dataSource.query(
      `INSERT INTO charts (mgid, owner_id, turn_id, title, chart_type, spec, columns, rows, truncated, source)
       SELECT $1, $2, (SELECT id FROM chat_turns WHERE id = $3), $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, $10::jsonb
       ON CONFLICT (mgid) DO NOTHING`,
      [
        mgid,
        ownerId,
        isUuid(workId) ? workId : null,
        title.replaceAll('\0', ''),
        chartType,
        toJsonText(spec),
        toJsonText(columns),
        toJsonText(rows),
        truncated,
        toJsonText(source),
      ],
    );
  }

  /** @throws NotFoundError for none, ForbiddenError for somebody else's (docs/contract/tables.md#charts) */
  async get(viewerId: number, mgid: string): Promise<KeptChart> {
    const [chart] = await this.find([mgid]);
    if (!chart) throw new NotFoundError('Chart not found.', { code: 'chart_not_found' });
    if (chart.ownerId !== viewerId) throw new ForbiddenError('This chart is not yours.', { code: 'chart_not_yours' });
    return (await this.withStaleness(viewerId, [chart]))[0]!;
  }

  /** Those that the viewer has, in the order of `mgids`. */
  async list(viewerId: number, mgids: readonly string[]): Promise<KeptChart[]> {
    const found = (await this.find(mgids)).filter(({ ownerId }) => ownerId === viewerId);
    const own = new Map((await this.withStaleness(viewerId, found)).map((chart) => [chart.mgid, chart]));
    return mgids.flatMap((mgid) => own.get(mgid) ?? []);
  }

  private async withStaleness(ownerId: number, charts: readonly ChartRow[]): Promise<KeptChart[]> {
    const uids = charts.flatMap(referencesOf).map((reference) => reference.replace(FILE, ''));
    const known = await findKnownTableFiles(this.dataSource, ownerId, uids);
    const isKnown = (reference: string) => reference.startsWith(FILE) && known.has(reference.slice(FILE.length));
    return charts.map((chart) => ({ ...chart, stale: !referencesOf(chart).every(isKnown) }));
  }

  private find(mgids: readonly string[]): Promise<ChartRow[]> {
    return this.dataSource.query(`SELECT ${COLUMNS} FROM charts c WHERE c.mgid = ANY($1::uuid[])`, [mgids]);
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ChartHead, KeptChart } from '../charts/chart-record.js';
import { chartNotFound, Charts } from '../charts/charts.js';
import { getBoard } from './board-access.js';
import type { TileKind } from './board-record.js';
import { ShownTiles } from './shown-tiles.js';

/** Charts that somebody asks about: some by name, or those that a board shows at the moment. */
export type ChartSubject = { mgids: readonly string[] } | { boardId: number };

export interface SeenBoard {
  name: string;
  /** Of its tiles of text, from the top. */
  texts: string[];
  /** What else stands on it. */
  others: { kind: Exclude<TileKind, 'chart' | 'text'>; name: string }[];
}

export interface SeenCharts {
  /** Called as on the board. */
  charts: ChartHead[];
  /** Null for charts by name. */
  board: SeenBoard | null;
}

/** Charts of a conversation about them, with the rights that a viewer has at each call (docs/contract/dashboard-chat.md). */
@Injectable()
export class AskedCharts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly charts: Charts,
    private readonly shown: ShownTiles,
  ) {}

  /** @throws NotFoundError `board_not_found`, `chart_not_found`; ForbiddenError `chart_not_yours` */
  async look(viewerId: number, subject: ChartSubject): Promise<SeenCharts> {
    if ('mgids' in subject) return { charts: await this.named(viewerId, subject.mgids), board: null };
    const { name } = await getBoard(this.dataSource, viewerId, subject.boardId, 'see');
    const tiles = (await this.shown.list(subject.boardId)).filter(({ broken }) => !broken);
    const named = new Map<string, string | null>();
    for (const { mgid, name: title } of tiles) if (mgid !== null && !named.has(mgid)) named.set(mgid, title);
    const heads = await this.charts.heads(viewerId, [...named.keys()]);
    return {
      charts: heads.map((head) => ({ ...head, title: named.get(head.mgid) ?? head.title })),
      board: {
        name,
        texts: tiles.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])),
        others: tiles.flatMap(({ kind, name: title }) =>
          kind === 'chart' || kind === 'text' ? [] : [{ kind, name: title ?? '' }],
        ),
      },
    };
  }

  /** One of them with its rows. @throws as `look`; NotFoundError `chart_not_found` for one that is none of them */
  async open(viewerId: number, subject: ChartSubject, mgid: string): Promise<KeptChart> {
    const { charts } = await this.look(viewerId, subject);
    const head = charts.find((chart) => chart.mgid === mgid);
    if (!head) throw chartNotFound();
    return { ...(await this.charts.get(viewerId, mgid)), title: head.title };
  }

  private async named(viewerId: number, mgids: readonly string[]): Promise<ChartHead[]> {
    const heads = await this.charts.heads(viewerId, mgids);
    const missing = mgids.find((mgid) => !heads.some((head) => head.mgid === mgid));
    // Says why.
    if (missing !== undefined) await this.charts.get(viewerId, missing);
    return heads;
  }
}

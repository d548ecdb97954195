import {
  AskedCharts,
  type ChartFilter,
  type ChartSubject,
  type FilteredRows,
  filterRows,
  type KeptChart,
  type SeenCharts,
} from '@app/artifacts';
import { ForbiddenError, NotFoundError } from '@app/common';
import { FairSlots } from '@app/isolation';
import { Injectable } from '@nestjs/common';

/** Who asks about which charts, and what they have chosen. */
export interface ChartCaller {
  userId: number;
  subject: ChartSubject;
  filters: readonly ChartFilter[];
}

/** A chart as the agent gets it: the rows that pass the filters, and no others. */
export interface OpenChart extends Omit<KeptChart, 'rows'>, FilteredRows {
  /** Before the filters. */
  allRows: number;
}

/** Charts whose rows this process holds at a time: each may have 50 MB of texts. */
const OPEN_AT_ONCE = 2;

/** What an agent of dashboard-chat reads, with the rights that its person has at that moment. */
@Injectable()
export class ChartDesk {
  private readonly slots = new FairSlots(OPEN_AT_ONCE);

  constructor(private readonly charts: AskedCharts) {}

  /** @throws NotFoundError, ForbiddenError */
  look({ userId, subject }: ChartCaller): Promise<SeenCharts> {
    return this.charts.look(userId, subject);
  }

  /** Whether all of these are still among those that the person sees. */
  async sees(caller: ChartCaller, mgids: readonly string[]): Promise<boolean> {
    try {
      const { charts } = await this.look(caller);
      return mgids.every((mgid) => charts.some((chart) => chart.mgid === mgid));
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ForbiddenError) return false;
      throw error;
    }
  }

  /**
   * Nothing of `work` may hold on to the rows: others wait for their room.
   * @throws as `look`, and for a chart that the conversation is not about; the signal's reason
   */
  async with<T>(
    { userId, subject, filters }: ChartCaller,
    mgid: string,
    signal: AbortSignal,
    work: (chart: OpenChart) => T | Promise<T>,
  ): Promise<T> {
    const asker = String(userId);
    await this.slots.enter(asker, signal);
    try {
      const { rows, ...chart } = await this.charts.open(userId, subject, mgid);
      return await work({ ...chart, ...filterRows({ columns: chart.columns, rows }, filters), allRows: rows.length });
    } finally {
      this.slots.leave(asker);
    }
  }
}

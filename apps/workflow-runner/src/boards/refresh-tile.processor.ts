import { type ClaimedTile, type RefreshedChart, refreshWork, TileRefreshes } from '@app/artifacts';
import type { Rows } from '@app/tabular';
import { type Claim, Performs, TryAgainError } from '@app/work';
import { ToolError } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { ImportedTables } from '../ports/tables.port.js';

const FILE = 'file:';

/** Has the data of tiles anew, with the rights of who made what they show, once for everybody who looks. */
@Injectable()
export class RefreshTileProcessor {
  constructor(
    private readonly refreshes: TileRefreshes,
    private readonly tables: ImportedTables,
  ) {}

  @Performs(refreshWork)
  async refresh(claim: Claim<ClaimedTile>, signal: AbortSignal): Promise<void> {
    const chart = await this.refreshes.begin(claim);
    await this.refreshes.finish(claim, chart && { chart, rows: await this.ask(chart, signal) });
  }

  /** @throws TryAgainError with what went wrong, for people */
  private async ask({ ownerId, source }: RefreshedChart, signal: AbortSignal): Promise<Rows> {
    const { sql, source_ref: refs } = source;
    const uids = refs.split(',').map((ref) => (ref.startsWith(FILE) ? ref.slice(FILE.length) : ref));
    try {
      return (await this.tables.query({ userId: ownerId }, uids, sql, signal)) as Rows;
    } catch (error) {
      if (error instanceof ToolError) throw new TryAgainError(error.message, { code: error.code });
      throw error;
    }
  }
}

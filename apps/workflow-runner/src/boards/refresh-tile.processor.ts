import { type ClaimedTile, type RefreshedChart, refreshWork, SourceQueries, TileRefreshes } from '@app/artifacts';
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
    private readonly queries: SourceQueries,
  ) {}

  @Performs(refreshWork)
  async refresh(claim: Claim<ClaimedTile>, signal: AbortSignal): Promise<void> {
    const chart = await this.refreshes.begin(claim);
    await this.refreshes.finish(claim, chart && { chart, rows: await this.ask(chart, signal) });
  }

  /** @throws TryAgainError with what went wrong, for people */
  private async ask({ ownerId, source }: RefreshedChart, signal: AbortSignal): Promise<Rows> {
    const { sql, type, source_ref: refs } = source;
    if (type !== 'file') return this.askDatabase(ownerId, refs, sql, signal);
    const uids = refs.split(',').map((ref) => (ref.startsWith(FILE) ? ref.slice(FILE.length) : ref));
    try {
      return (await this.tables.query({ userId: ownerId }, uids, sql, signal)) as Rows;
    } catch (error) {
      if (error instanceof ToolError) throw new TryAgainError(error.message, { code: error.code });
      throw error;
    }
  }

  private async askDatabase(ownerId: number, sourceRef: string, sql: string, signal: AbortSignal): Promise<Rows> {
    const query = { name: 'chart', sourceRef, sql, params: [] };
    const [outcome] = await this.queries.run(ownerId, [{ query, params: {} }], signal);
    if (!outcome || 'error' in outcome)
      throw new TryAgainError(outcome?.error.message ?? 'There is no such source.', {
        code: outcome?.error.code ?? '',
      });
    return outcome;
  }
}

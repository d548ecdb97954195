import { ConflictError, NotFoundError } from '@app/common';
import { FileMissingError } from '@app/integrations';
import {
  type FailedStatement,
  findTableSources,
  type OpenTabularDatabase,
  QueryRunner,
  type ScopedStatement,
  TabularDatabases,
  type TableSource,
  toAskedTables,
} from '@app/tabular';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { QueryOutcome } from './source-queries.js';
import { type BoundQuery, failed } from './bound-query.js';

/** A statement at a file of its owner. */
export interface FileQuery extends BoundQuery {
  uid: string;
}

/** Statements at table files: all of one call in one run of the query process. */
@Injectable()
export class FileQueries {
  private readonly logger = new Logger(FileQueries.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: TabularDatabases,
    private readonly runner: QueryRunner,
  ) {}

  /** By uid; those that are not the owner's are absent. */
  async find(ownerId: number, uids: readonly string[]): Promise<ReadonlyMap<string, TableSource>> {
    const found = uids.length === 0 ? [] : await findTableSources(this.dataSource, ownerId, uids);
    return new Map(found.map((source) => [source.uid, source]));
  }

  /** One outcome for each, in order. @throws the signal's reason */
  async run(ownerId: number, queries: readonly FileQuery[], signal?: AbortSignal): Promise<QueryOutcome[]> {
    const asOf = new Date();
    const opened = await this.openAll(ownerId, [...new Set(queries.map(({ uid }) => uid))]);
    try {
      const outcomes = queries.map(({ uid }): QueryOutcome | null => {
        const file = opened.get(uid)!;
        return 'release' in file ? null : file;
      });
      const databases = [...opened.values()].filter((file) => 'release' in file);
      const asked = queries.filter((_, at) => outcomes[at] === null);
      const results = await this.runner.runEach({
        asker: String(ownerId),
        // A statement sees the tables of its own file alone, under the names that questions about the file use.
        scopes: databases.map((database) => toAskedTables([database]).files),
        statements: asked.map((query) => toStatement(query, databases)),
        signal,
      });
      const answers = results.values();
      return outcomes.map((outcome) => {
        if (outcome !== null) return outcome;
        const answer = answers.next().value!;
        if ('error' in answer) return this.toFailure(answer.error);
        const { columns, rows, truncated } = answer.result;
        return { columns, rows, truncated, asOf };
      });
    } finally {
      await releaseAll(opened.values());
    }
  }

  private toFailure({ code, message, detail }: FailedStatement): QueryOutcome {
    if (detail !== undefined) this.logger.warn(`A table file cannot be opened: ${detail}`);
    return failed(code, message);
  }

  private async openAll(
    ownerId: number,
    uids: readonly string[],
  ): Promise<Map<string, OpenTabularDatabase | QueryOutcome>> {
    const settled = await Promise.allSettled(uids.map((uid) => this.open(ownerId, uid)));
    const opened = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const lost = settled.find((one) => one.status === 'rejected');
    if (!lost) return new Map(uids.map((uid, at) => [uid, opened[at]!]));
    await releaseAll(opened);
    throw lost.reason;
  }

  private async open(ownerId: number, uid: string): Promise<OpenTabularDatabase | QueryOutcome> {
    try {
      return await this.databases.open(ownerId, uid);
    } catch (error) {
      // A kind of `NotFoundError`, too.
      if (error instanceof FileMissingError)
        return failed('source_unavailable', 'The file of this query cannot be read. Import it again.');
      if (error instanceof NotFoundError) return failed('source_not_found', 'The file of this query is gone.');
      if (error instanceof ConflictError) return failed('source_not_ready', 'The file of this query is not imported.');
      throw error;
    }
  }
}

async function releaseAll(files: Iterable<OpenTabularDatabase | QueryOutcome>): Promise<void> {
  for (const file of files) if ('release' in file) await file.release();
}

function toStatement({ uid, query, values }: FileQuery, databases: readonly OpenTabularDatabase[]): ScopedStatement {
  return {
    scope: databases.findIndex((database) => database.uid === uid),
    sql: query.sql,
    parameters: query.params.map(({ name, type }) => ({ name, type, value: values[name] ?? null })),
  };
}

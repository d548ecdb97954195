import { type ArtifactSource, SourceQueries } from '@app/artifacts';
import { NotFoundError } from '@app/common';
import { QueryRunner, TabularDatabases, tablesInWords } from '@app/tabular';
import { Injectable } from '@nestjs/common';

const FILE = 'file:';

/** What stands in sources: tables, columns, values and first rows, for whoever writes queries to them. */
@Injectable()
export class SourceLooks {
  constructor(
    private readonly sources: SourceQueries,
    private readonly databases: TabularDatabases,
    private readonly runner: QueryRunner,
  ) {}

  /** Those of the refs that the owner has at this moment. */
  async describe(ownerId: number, refs: readonly string[]): Promise<ArtifactSource[]> {
    const found = await Promise.all(
      refs.map((ref) =>
        this.sources.describe(ownerId, [ref]).catch((error: unknown) => {
          if (error instanceof NotFoundError) return [];
          throw error;
        }),
      ),
    );
    return found.flat();
  }

  /** @throws NotFoundError for what the owner does not have; ConflictError while a file is imported; QueryError */
  async look(ownerId: number, ref: string, signal: AbortSignal): Promise<string> {
    const [source] = await this.sources.describe(ownerId, [ref]);
    if (source!.type === 'file') return this.lookAtFile(ownerId, ref.slice(FILE.length), signal);
    throw new NotFoundError('This source cannot be looked at.', { code: 'source_not_found' });
  }

  private async lookAtFile(ownerId: number, uid: string, signal: AbortSignal): Promise<string> {
    const database = await this.databases.open(ownerId, uid);
    try {
      return await tablesInWords(this.runner, { asker: String(ownerId), databases: [database], signal });
    } finally {
      await database.release();
    }
  }
}

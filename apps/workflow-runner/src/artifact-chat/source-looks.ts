import { type ArtifactSource, SourceQueries } from '@app/artifacts';
import { cutText, NotFoundError } from '@app/common';
import { SchemaBrowser, SourceFailure } from '@app/data-sources';
import { ToolCallError } from '@app/agents';
import { TableProfiles, TabularDatabases, tablesInWords } from '@app/tabular';
import { Injectable } from '@nestjs/common';

const FILE = 'file:';
const DATABASE = 'ds:';
/** Of a database, at a time: with more, a part of the name has to be given. */
const MOST_TABLES = 40;
const SHOWN_COMMENT = 200;

/** What stands in sources: tables, columns, values and first rows, for whoever writes queries to them. */
@Injectable()
export class SourceLooks {
  constructor(
    private readonly sources: SourceQueries,
    private readonly databases: TabularDatabases,
    private readonly profiles: TableProfiles,
    private readonly schemas: SchemaBrowser,
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

  /**
   * @param search a part of the names of tables, of a database
   * @throws NotFoundError for what the owner does not have; ConflictError while a file is imported; QueryError;
   *   ToolCallError for a database that does not answer
   */
  async look(ownerId: number, ref: string, search: string, signal: AbortSignal): Promise<string> {
    const [source] = await this.sources.describe(ownerId, [ref]);
    if (source!.type === 'file') return this.lookAtFile(ownerId, ref.slice(FILE.length), signal);
    return this.lookAtDatabase(ownerId, Number(ref.slice(DATABASE.length)), search, signal);
  }

  private async lookAtFile(ownerId: number, uid: string, signal: AbortSignal): Promise<string> {
    const database = await this.databases.open(ownerId, uid);
    try {
      return await tablesInWords(this.profiles, { asker: String(ownerId), databases: [database], signal });
    } finally {
      await database.release();
    }
  }

  private async lookAtDatabase(ownerId: number, id: number, search: string, signal: AbortSignal): Promise<string> {
    const query = { search, limit: MOST_TABLES, offset: 0 };
    const { count, items } = await this.schemas.list(ownerId, id, query, signal).catch((error: unknown) => {
      throw error instanceof SourceFailure ? new ToolCallError(error.code, error.message) : error;
    });
    const tables = items.map(({ schema, name, kind, comment, columns, columnsTruncated }) => {
      const lines = columns.map((column) => `- ${JSON.stringify(column.name)} (${column.type}; ${column.nativeType})`);
      const said = comment === '' ? '' : `: ${cutText(comment.replaceAll(/\s+/g, ' '), SHOWN_COMMENT)}`;
      const more = columnsTruncated ? ['- and more columns'] : [];
      return [`${kind} ${JSON.stringify(schema)}.${JSON.stringify(name)}${said}`, ...lines, ...more].join('\n');
    });
    const left = count - items.length;
    const rest = left > 0 ? [`And ${left} more tables: look again with a part of their names in search.`] : [];
    return [...(tables.length === 0 ? ['No tables that may be read.'] : tables), ...rest].join('\n\n');
  }
}

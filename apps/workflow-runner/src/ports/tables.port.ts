import { isUuid } from '@app/common';
import { ChosenModels } from '@app/integrations';
import {
  type OpenTabularDatabase,
  type QueryResult,
  QueryRunner,
  TableQuestions,
  TabularDatabases,
  tabularFileNotFound,
  toAskedTables,
} from '@app/tabular';
import { type TableResult, type TablesPort, ToolError, type Viewer } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { asToolError } from './as-tool-error.js';
import { toNodeUsage, toUsageContext } from './used-models.js';

/** The imported table files of the viewer. */
@Injectable()
export class ImportedTables implements TablesPort {
  constructor(
    private readonly databases: TabularDatabases,
    private readonly runner: QueryRunner,
    private readonly questions: TableQuestions,
    private readonly models: ChosenModels,
  ) {}

  query(viewer: Viewer, uids: readonly string[], sql: string, signal: AbortSignal): Promise<TableResult> {
    return this.withOpen(viewer, uids, async (opened) => {
      const { files } = toAskedTables(opened);
      const asker = String(viewer.userId);
      const [result] = await this.runner.run({ asker, files, statements: [sql], signal });
      return toTableResult(result ?? null);
    });
  }

  ask(viewer: Viewer, uids: readonly string[], question: string, signal: AbortSignal) {
    return this.withOpen(viewer, uids, async (databases) => {
      const asker = String(viewer.userId);
      const model = await this.models.choose(viewer.userId, viewer.modelId);
      const usage = toUsageContext(viewer);
      const asked = { asker, question, databases, history: [], language: null, model, usage, signal };
      const prepared = await this.questions.prepare(asked);
      const found = await this.questions.ask(prepared, { evidence: false, onThought: async () => {} });
      if (found.status === 'failed' && found.error)
        throw new ToolError(found.error.code, found.error.detail, false, toNodeUsage(found.usage()));
      let answer = '';
      for await (const piece of found.answer) answer += piece;
      return { ...toTableResult(found.result), answer, sql: found.sql, ...toNodeUsage(found.usage()) };
    });
  }

  private withOpen<T>(
    { userId }: Viewer,
    uids: readonly string[],
    work: (opened: OpenTabularDatabase[]) => Promise<T>,
  ): Promise<T> {
    const run = async () => {
      const opened: OpenTabularDatabase[] = [];
      try {
        for (const uid of new Set(uids)) {
          if (!isUuid(uid)) throw tabularFileNotFound();
          opened.push(await this.databases.open(userId, uid));
        }
        return await work(opened);
      } finally {
        for (const database of opened) await database.release();
      }
    };
    return asToolError(run());
  }
}

function toTableResult(result: QueryResult | null): TableResult {
  return { columns: result?.columns ?? [], rows: result?.rows ?? [], truncated: result?.truncated ?? false };
}

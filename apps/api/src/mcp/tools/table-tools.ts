import type { ApiScope } from '@app/auth';
import { ChosenModels } from '@app/integrations';
import {
  type OpenTabularDatabase,
  pageTableFiles,
  QueryRunner,
  TableQuestions,
  TabularDatabases,
  toAskedTables,
} from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { defineMcpTool, READS, type McpTool } from './tool.js';

const SCOPE: ApiScope = 'documents:read';
const MAX_ROWS = 500;
const MAX_CHARACTERS = 200_000;

const uids = z.array(z.uuid()).min(1).max(5).describe('Table files by uid, as list_tables names them.');
const rows = {
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  truncated: z.boolean().describe('Whether there are more rows than are given here.'),
};
const fileShape = z.object({
  uid: z.string(),
  filename: z.string(),
  store: z.string(),
  state: z.string(),
  tables: z.array(
    z.object({
      name: z.string().describe('As SQL names it; where two files use the same name, the later one gets _2 behind it.'),
      row_count: z.number(),
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
    }),
  ),
});

/** The imported table files of the caller. */
@Injectable()
export class TableTools {
  readonly tools: readonly McpTool[];

  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: TabularDatabases,
    private readonly runner: QueryRunner,
    private readonly questions: TableQuestions,
    private readonly models: ChosenModels,
  ) {
    this.tools = [this.list(), this.query(), this.ask()];
  }

  private list(): McpTool {
    return defineMcpTool({
      name: 'list_tables',
      title: 'List tables',
      description: 'Lists the imported table files of the caller with their tables and columns, newest first.',
      scope: SCOPE,
      part: 'core',
      annotations: READS,
      input: z.object({ page: z.int().min(1).max(10_000).default(1) }),
      output: z.object({ files: z.array(fileShape), next_page: z.number().nullable() }),
      run: async ({ page }, { viewer }) => {
        const size = 20;
        const found = await pageTableFiles(this.dataSource, viewer.userId, size + 1, (page - 1) * size);
        return { files: found.slice(0, size), next_page: found.length > size ? page + 1 : null };
      },
    });
  }

  private query(): McpTool {
    return defineMcpTool({
      name: 'query_table',
      title: 'Query tables',
      description: `Runs one SELECT (DuckDB's SQL) over imported table files, read-only; at most ${MAX_ROWS} rows.`,
      scope: SCOPE,
      part: 'core',
      annotations: READS,
      input: z.object({
        uids,
        sql: z.string().trim().min(1).max(20_000),
        limit: z.int().min(1).max(MAX_ROWS).default(100),
      }),
      output: z.object(rows),
      run: ({ uids: asked, sql, limit }, { viewer, signal }) =>
        this.withOpen(viewer.userId, asked, async (opened) => {
          const { files } = toAskedTables(opened);
          const [result] = await this.runner.run({ asker: String(viewer.userId), files, statements: [sql], signal });
          return bounded(result!, limit);
        }),
    });
  }

  private ask(): McpTool {
    return defineMcpTool({
      name: 'ask_table',
      title: 'Ask tables',
      description: 'Answers a question from imported table files, with the SQL and the rows that the answer rests on.',
      scope: SCOPE,
      part: 'chat_ai',
      open: false,
      annotations: { ...READS, idempotentHint: false },
      input: z.object({ uids, question: z.string().trim().min(1).max(4000) }),
      output: z.object({
        status: z.enum(['completed', 'clarification', 'failed']),
        answer: z.string(),
        sql: z.string().nullable(),
        ...rows,
      }),
      text: ({ answer, sql }) => (sql === null ? answer : `${answer}\n\nSQL: ${sql}`),
      run: ({ uids: asked, question }, { viewer, signal, progress }) =>
        this.withOpen(viewer.userId, asked, async (databases) => {
          const { userId } = viewer;
          const common = { asker: String(userId), question, databases, history: [], signal };
          const usage = { userId, purpose: 'mcp' };
          const model = await this.models.choose(userId);
          const prepared = await this.questions.prepare({ ...common, language: null, model, usage });
          let thoughts = 0;
          const onThought = async ({ type }: { type: string }) => progress((thoughts += 1), null, `Thought: ${type}.`);
          const found = await this.questions.ask(prepared, { evidence: false, onThought });
          let answer = '';
          for await (const piece of found.answer) answer += piece;
          signal.throwIfAborted();
          const result = found.result ?? { columns: [], rows: [], truncated: false };
          return { status: found.status, answer, sql: found.sql, ...bounded(result, 100) };
        }),
    });
  }

  /** @throws NotFoundError, ConflictError `document_not_ready` */
  private async withOpen<T>(
    userId: number,
    asked: readonly string[],
    work: (opened: OpenTabularDatabase[]) => Promise<T>,
  ): Promise<T> {
    const opened: OpenTabularDatabase[] = [];
    try {
      for (const uid of new Set(asked)) opened.push(await this.databases.open(userId, uid));
      return await work(opened);
    } finally {
      for (const database of opened) await database.release();
    }
  }
}

function bounded<C extends { name: string; type: string }>(
  result: { columns: C[]; rows: unknown[][]; truncated: boolean },
  limit: number,
): { columns: { name: string; type: string }[]; rows: unknown[][]; truncated: boolean } {
  const kept: unknown[][] = [];
  let characters = 0;
  for (const row of result.rows.slice(0, limit)) {
    characters += JSON.stringify(row).length;
    if (characters > MAX_CHARACTERS) break;
    kept.push(row);
  }
  const columns = result.columns.map(({ name, type }) => ({ name, type }));
  return { columns, rows: kept, truncated: result.truncated || kept.length < result.rows.length };
}

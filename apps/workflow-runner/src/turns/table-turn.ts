import {
  continuationMessages,
  TableTurnRecords,
  tableTurnRequest,
  toSpreadsheetSources,
  TurnHistory,
  type TableTurnRequest,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
} from '@app/agents';
import { BadGatewayError } from '@app/common';
import { MODEL_FAILURES } from '@app/integrations';
import { ConversationModel, ModelChoice } from '@app/models';
import {
  TableQuestions,
  TabularDatabases,
  type OpenTabularDatabase,
  type PreparedQuestion,
  type TableAnswer,
} from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { RowDatabases } from '../table-chat/row-databases.js';
import { FoundResult, type TurnFailure } from './table-turn-result.js';
import { publish } from './publish.js';

/**
 * Answers a question to tables (docs/contract/tables.md#questions): whole, as JSON, for the database store, streamed
 * for spreadsheets.
 */
@Injectable()
export class TableTurnHandler implements TurnHandler {
  readonly name = 'table';

  constructor(
    private readonly databases: TabularDatabases,
    private readonly rows: RowDatabases,
    private readonly questions: TableQuestions,
    private readonly models: ModelChoice,
    private readonly history: TurnHistory,
    private readonly records: TableTurnRecords,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn } = context;
    const request = tableTurnRequest.parse(turn.request);
    const found = FoundResult.of(turn.state);
    // What no model puts into words is told in one piece: all of it was told, or nothing.
    if (found && (found.canBeToldOn || context.published.text !== '')) return this.goOn(context, request, found);
    const opened: OpenTabularDatabase[] = [];
    try {
      // Only what the asker has at the time of the answer.
      for (const uid of request.uids) opened.push(await this.open(turn.userId, uid, request.store));
      return await this.begin(context, request, opened);
    } finally {
      for (const database of opened) await database.release();
    }
  }

  private open(userId: number, uid: string, store: TableTurnRequest['store']): Promise<OpenTabularDatabase> {
    return store === 'table' ? this.rows.open(userId, uid) : this.databases.open(userId, uid, store);
  }

  private async begin(
    context: TurnContext,
    request: TableTurnRequest,
    databases: readonly OpenTabularDatabase[],
  ): Promise<TurnOutcome> {
    const { turn } = context;
    await this.records.clear(turn.id);
    const asked = await this.asked(context, request);
    const question = await this.questions.prepare({
      ...asked,
      asker: String(turn.userId),
      databases,
      history: await this.history.questionsToTables(turn.sessionId, turn.id),
    });
    const isSpreadsheet = request.store === 'spreadsheet';
    const failsAsOne = request.store !== 'database';
    const answer = await this.questions.ask(question, {
      evidence: isSpreadsheet,
      onThought: (thought) => this.records.addThought(turn.id, thought),
    });
    if (failsAsOne && answer.error && MODEL_FAILURES.has(answer.error.code))
      throw new BadGatewayError(answer.error.detail, { code: answer.error.code });
    const found = await this.keep(turn, request, question, answer);
    await context.saveState(found.toState());
    const stream = noticed(answer.answer, asked.model);
    return this.finish(context, request, found, stream, answer.usage);
  }

  private async goOn(context: TurnContext, request: TableTurnRequest, found: FoundResult): Promise<TurnOutcome> {
    const { published } = context;
    const followUp = published.text === '' ? [] : continuationMessages(published.text);
    const asked = await this.asked(context, request);
    const answer = found.canBeToldOn ? this.questions.tell(asked, found.statement, followUp) : null;
    const stream = answer && published.text === '' ? noticed(answer, asked.model) : answer;
    return this.finish(context, request, found, stream, () => stream?.usage() ?? null);
  }

  private async asked({ turn, signal }: TurnContext, { language, llmModelId }: TableTurnRequest) {
    return {
      question: turn.question,
      language,
      model: new ConversationModel(await this.models.ofTurn(turn, llmModelId), turn.question),
      usage: { userId: turn.userId, purpose: 'chat', turnId: turn.id },
      signal,
    };
  }

  private async keep(
    turn: TurnContext['turn'],
    { store, uids }: TableTurnRequest,
    question: PreparedQuestion,
    { status, sql, result, chart, error, notes }: TableAnswer,
  ): Promise<FoundResult> {
    const isSpreadsheet = store === 'spreadsheet';
    const sources = isSpreadsheet
      ? toSpreadsheetSources(result?.evidence ?? [], question.tables)
      : question.databases.map(({ uid, filename }) => ({ uid, filename }));
    const charted = store === 'database' && chart && result && sql !== null ? { chart, result, sql } : null;
    const mgid =
      charted && (await this.records.addChart({ ownerId: turn.userId, turnId: turn.id, fileUids: uids, ...charted }));
    const { model, answeredBy } = question;
    const isTold = status === 'completed' && model.available && result !== null;
    return new FoundResult({ status, sql, result, sources, mgid, error, answeredBy, isTold, notes });
  }

  private async finish(
    context: TurnContext,
    { store }: TableTurnRequest,
    found: FoundResult,
    stream: TableAnswer['answer'] | null,
    usage: TableAnswer['usage'],
  ): Promise<TurnOutcome> {
    const { turn } = context;
    context.sources(found.sources);
    const started = performance.now();
    const broken = stream && (await this.tellOut(context, store, stream));
    const failure = broken ?? found.failure;
    await this.records.addThought(turn.id, {
      type: broken ? 'error' : 'answer',
      text: broken?.detail ?? '',
      sql: null,
      rowCount: null,
      durationMs: Math.round(performance.now() - started),
    });
    return {
      usage: usage(),
      model: stream?.answeredBy?.() ?? found.answeredBy,
      extras: store === 'database' ? found.toExtras(turn, context.published.text, failure) : {},
      ...(failure ? { failure } : {}),
    };
  }

  /**
   * A model that breaks off is a failed answer of the database store (docs/contract/tables.md#questions), with the
   * rows that were found.
   */
  private async tellOut(
    context: TurnContext,
    store: TableTurnRequest['store'],
    stream: AsyncIterable<string>,
  ): Promise<TurnFailure | null> {
    try {
      await publish(context, stream);
      return null;
    } catch (error) {
      if (store !== 'database' || !(error instanceof BadGatewayError)) throw error;
      return { code: error.code, detail: error.message };
    }
  }
}

/** Behind what has to be told of the question: once, since an answer that goes on begins with it. */
function noticed(answer: TableAnswer['answer'], model: ConversationModel): TableAnswer['answer'] {
  return {
    async *[Symbol.asyncIterator]() {
      let hasBegun = false;
      for await (const piece of answer) {
        if (!hasBegun && model.notice !== '') yield model.notice;
        hasBegun = true;
        yield piece;
      }
    },
    usage: () => answer.usage(),
    answeredBy: () => answer.answeredBy?.() ?? null,
  };
}

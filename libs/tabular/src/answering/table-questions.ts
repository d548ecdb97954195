import { Clock, languageOf, nameOfLanguage, UnavailableError, type AnswerLanguage } from '@app/common';
import {
  LanguageModel,
  type AnswerStream,
  type ModelMessage,
  type TokenUsage,
  type UsageContext,
} from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { chooseChart, type Chart } from '../charts/choose-chart.js';
import type { OpenTabularDatabase } from '../databases/tabular-databases.js';
import { QueryError } from '../query/query-error.js';
import type { QueriedFile, QueryResult } from '../query/query-messages.js';
import { QueryRunner } from '../query/query-runner.js';
import type { AskedTable } from './asked-table.js';
import { columnsInStatement, incompletenessText } from './incompleteness.js';
import { ModelPlanner } from './model-planner.js';
import { ModelUse } from './model-use.js';
import { answeringPrompt, resultMessage, type PastTurn } from './prompts.js';
import { factStatements } from './reading/facts.js';
import type { Reading } from './reading/reading.js';
import type { LanguageCode } from './reading/lexicon/languages.js';
import { readQuestion } from './reading/read-question.js';
import { readingSql } from './reading/reading-sql.js';
import { readAnswer } from './reading/wording.js';
import { amongText, clarificationText, rivalsText, thingsText } from './reading/clarification.js';
import { failedText, refusalText } from './refusal.js';
import { TableProfiles } from './table-profiles.js';
import { schemaFacts } from './schema-text.js';
import { resultThought, thought, type Thought } from './thought.js';
import { lookUpValues } from './value-lookup.js';

/** Earlier questions whose words are looked for in the data, too. */
const PAST_QUESTIONS = 8;

export interface TableQuestion {
  /** Who asks, among whom processes are shared fairly. */
  asker: string;
  question: string;
  /** Up to 5, opened by the asker and released after the answer. */
  databases: readonly OpenTabularDatabase[];
  /** Oldest first. */
  history: readonly PastTurn[];
  /** Of the answer; that of the question when null. */
  language: AnswerLanguage | null;
  /** Who answers. */
  model: LanguageModel;
  /** On whose account the model works. */
  usage?: UsageContext | undefined;
  signal?: AbortSignal | undefined;
}

/** A question whose tables have been looked at and that can be answered here. */
export interface PreparedQuestion extends TableQuestion {
  /** Who answers: the model, or the embedded reading of simple questions. */
  readonly answeredBy: string;
  readonly tables: AskedTable[];
  readonly files: QueriedFile[];
  /** How it was read where no model is configured. */
  readonly reading: Reading | null;
  /** In which it is answered where no model does. */
  readonly wording: LanguageCode;
  readonly preparedMs: number;
}

export interface AskOptions {
  /** Whether the result says on which cells it rests. */
  evidence: boolean;
  /** Called in order, each awaited. */
  onThought(thought: Thought): Promise<void>;
}

/** What goes with a result, whoever puts it into words. */
export interface ResultNotes {
  /** Told to the person before the words of a model, '' for nothing: they are not left to it. */
  notice: string;
  /** Told to the model. */
  facts: string;
}

export interface TableAnswer {
  status: 'completed' | 'clarification' | 'failed';
  sql: string | null;
  result: QueryResult | null;
  chart: Chart | null;
  notes: ResultNotes;
  /** Begins its work when it is read; for `failed`, says so. */
  answer: AnswerStream;
  /** For `failed`: what went wrong, for people, and its code. */
  error: { code: string; detail: string } | null;
  /** What models were used for it, as far as the answer was read; null when none was asked. */
  usage(): TokenUsage | null;
}

/** Answers questions about imported tables, by SQL that is checked before it runs. */
@Injectable()
export class TableQuestions {
  private readonly planner: ModelPlanner;

  constructor(
    private readonly runner: QueryRunner,
    private readonly profiles: TableProfiles,
    /** From which "last month" is told, in UTC. */
    private readonly clock: Clock,
  ) {
    this.planner = new ModelPlanner(runner);
  }

  /**
   * Looks at the tables. Nothing has to be kept before it returns.
   * @throws UnavailableError (`model_not_configured`) for a question that needs a model where there is none
   */
  async prepare(question: TableQuestion): Promise<PreparedQuestion> {
    const started = performance.now();
    const { model } = question;
    const { tables, files } = await this.profiles.look(question);
    const read = model.available ? null : await this.read(question, tables, files);
    const preparedMs = Math.round(performance.now() - started);
    const wording = question.language ?? read?.language ?? languageOf(question.question);
    const reading = read?.reading ?? null;
    return { ...question, answeredBy: model.descriptor.value, tables, files, reading, wording, preparedMs };
  }

  /** @throws UnavailableError (`model_not_configured`), naming the words that were not understood */
  private async read(
    question: TableQuestion,
    tables: AskedTable[],
    files: QueriedFile[],
  ): Promise<{ reading: Reading; language: LanguageCode }> {
    const { asker, signal, history } = question;
    const today = this.clock.date().toISOString().slice(0, 10);
    const asked = [
      question.question,
      ...history
        .slice(-PAST_QUESTIONS)
        .toReversed()
        .map((turn) => turn.question),
    ];
    await lookUpValues(this.runner, { asker, files, signal }, tables, asked);
    const { reading, unknown, language } = readQuestion(question.question, tables, history, today);
    const spoken = language === 'en' ? languageOf(question.question) : language;
    if (reading !== null) return { reading, language: spoken };
    throw new UnavailableError(refusalText(unknown, tables, spoken), { code: 'model_not_configured' });
  }

  /**
   * @throws GatewayTimeoutError (`query_timeout`, `model_timeout`), and the signal's reason; a statement or a model that
   * fails is an answer with the status `failed`
   */
  async ask(question: PreparedQuestion, options: AskOptions): Promise<TableAnswer> {
    const { tables, preparedMs } = question;
    const names = tables.map(
      ({ alias, rowCount, columns }) => `${alias} (${columns.length} columns, ${rowCount} rows)`,
    );
    await options.onThought(thought('schema', names.join(', '), { durationMs: preparedMs }));
    return question.reading === null
      ? this.askModel(question, options)
      : this.askReading(question, question.reading, options);
  }

  /**
   * Has the model put a result into words.
   * @param followUp messages by which it goes on with an answer that was cut off
   */
  tell(
    asked: Pick<TableQuestion, 'question' | 'language' | 'model' | 'usage' | 'signal'>,
    { sql, result, notes }: { sql: string; result: QueryResult; notes: ResultNotes },
    followUp: readonly ModelMessage[] = [],
  ): AnswerStream {
    const { question, language, model, usage, signal } = asked;
    const stream = model.streamAnswer({
      system: answeringPrompt(nameOfLanguage(language, question)),
      messages: [resultMessage(question, sql, result, notes.facts), ...followUp],
      temperature: 0,
      ...(usage ? { usage } : {}),
      ...(signal ? { signal } : {}),
    });
    return notes.notice === '' || followUp.length > 0 ? stream : withNotice(notes.notice, stream);
  }

  private async askModel(question: PreparedQuestion, options: AskOptions): Promise<TableAnswer> {
    const planning = new ModelUse();
    const planned = await this.planner.plan(question, options, planning);
    const usage = () => planning.sum();
    if (planned.status === 'failed') return { ...failedAnswer(planned.sql, planned.error, question.wording), usage };
    if (planned.status !== 'answerable')
      return { ...nothing, status: planned.status, answer: textStream(planned.reply), usage };
    const { sql, result } = planned;
    const chart = planned.chart === 'none' ? null : chooseChart(result, question.question, planned.chart);
    const used = columnsInStatement(sql, question.tables);
    const notes = { notice: incompletenessText(used, question.wording), facts: schemaFacts(used) };
    const answer = this.tell(question, { sql, result, notes });
    return {
      status: 'completed',
      sql,
      result,
      chart,
      notes,
      answer,
      error: null,
      usage: () => planning.sum(answer.usage()),
    };
  }

  private async askReading(
    prepared: PreparedQuestion,
    reading: Reading,
    { evidence, onThought }: AskOptions,
  ): Promise<TableAnswer> {
    const { asker, question, files, signal } = prepared;
    const language = prepared.wording;
    if (reading.kind === 'unclear')
      return { ...nothing, status: 'clarification', answer: textStream(clarificationText(reading, language)) };
    const sql = readingSql(reading);
    await onThought(thought('sql', sql, { sql }));
    try {
      const { statements, read } = factStatements(reading);
      const [result, ...found] = await this.runner.run({
        asker,
        files,
        statements: [sql, ...statements],
        evidence,
        signal,
      });
      await onThought(resultThought(sql, result!));
      const facts = read(result!, found);
      if (facts.rivals.length > 0)
        return {
          ...nothing,
          status: 'clarification',
          answer: textStream(rivalsText(reading, result!, facts, language)),
        };
      if (facts.among)
        return {
          ...nothing,
          status: 'clarification',
          answer: textStream(amongText(reading, result!, facts, language)),
        };
      if (facts.things)
        return {
          ...nothing,
          status: 'clarification',
          answer: textStream(thingsText(reading, result!, facts, language)),
        };
      const answer = textStream(readAnswer(reading, result!, facts, language));
      const chart = chooseChart(result!, question, 'auto');
      return { ...nothing, status: 'completed', sql, result: result!, chart, answer };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      await onThought(thought('error', error.message, { sql }));
      return failedAnswer(sql, { code: error.code, detail: error.message }, language);
    }
  }
}

function failedAnswer(
  sql: string | null,
  error: { code: string; detail: string },
  language: LanguageCode,
): TableAnswer {
  return { ...nothing, status: 'failed', sql, error, answer: textStream(failedText(language)) };
}

const nothing = {
  notes: { notice: '', facts: '' },
  sql: null,
  result: null,
  chart: null,
  error: null,
  usage: () => null,
} as const;

function withNotice(notice: string, stream: AnswerStream): AnswerStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield `${notice}\n\n`;
      yield* stream;
    },
    usage: () => stream.usage(),
    answeredBy: () => stream.answeredBy?.() ?? null,
  };
}

function textStream(text: string): AnswerStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield text;
    },
    usage: () => null,
  };
}

import { BadGatewayError, nameOfLanguage } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import type { ChartType } from '../charts/choose-chart.js';
import { QueryError } from '../query/query-error.js';
import type { QueryResult } from '../query/query-messages.js';
import type { QueryRunner } from '../query/query-runner.js';
import type { ModelUse } from './model-use.js';
import { historyMessages, planningPrompt, repairMessages } from './prompts.js';
import { QUERY_PLAN_SCHEMA, toQueryPlan, type QueryPlan } from './query-plan.js';
import type { AskOptions, PreparedQuestion } from './table-questions.js';
import { resultThought, thought } from './thought.js';

/** Further tries after a statement that does not work. */
const REPAIRS = 2;

export type Planned =
  | { status: 'answerable'; sql: string; result: QueryResult; chart: ChartType | 'none' | 'auto' }
  | { status: 'clarification' | 'completed'; reply: string }
  | { status: 'failed'; sql: string | null; error: { code: string; detail: string } };

/** Has a model write SQL, runs it, and shows the model what went wrong. */
export class ModelPlanner {
  constructor(private readonly runner: QueryRunner) {}

  /** @throws GatewayTimeoutError, and the signal's reason */
  async plan(question: PreparedQuestion, options: AskOptions, use: ModelUse): Promise<Planned> {
    const messages: ModelMessage[] = [
      ...historyMessages(question.history),
      { role: 'user', content: question.question },
    ];
    for (let repairs = 0; ; repairs++) {
      const plan = await this.propose(question, messages, options, use);
      if (plan instanceof BadGatewayError) return failed(null, plan);
      if (plan.action !== 'query')
        return { status: plan.action === 'clarify' ? 'clarification' : 'completed', reply: plan.reply };
      const { sql, chart } = plan;
      await options.onThought(thought('sql', sql, { sql }));
      const result = await this.try(question, sql, options);
      if (!(result instanceof QueryError)) return { status: 'answerable', sql, result, chart };
      if (repairs === REPAIRS) return failed(sql, result);
      messages.push(...repairMessages(sql, result.message));
    }
  }

  private async propose(
    { question, tables, language, model, usage, signal }: PreparedQuestion,
    messages: ModelMessage[],
    { onThought }: AskOptions,
    use: ModelUse,
  ): Promise<QueryPlan | BadGatewayError> {
    const started = performance.now();
    const since = () => Math.round(performance.now() - started);
    try {
      const answer = await model.generate({
        system: planningPrompt(tables, nameOfLanguage(language, question)),
        messages,
        temperature: 0,
        outputSchema: QUERY_PLAN_SCHEMA,
        ...(usage ? { usage } : {}),
        ...(signal ? { signal } : {}),
      });
      use.add(answer);
      const plan = toQueryPlan(answer.object);
      await onThought(thought('plan', plan.reasoning, { durationMs: since() }));
      return plan;
    } catch (error) {
      if (!(error instanceof BadGatewayError)) throw error;
      await onThought(thought('error', error.message, { durationMs: since() }));
      return error;
    }
  }

  private async try(
    { asker, files, signal }: PreparedQuestion,
    sql: string,
    { evidence, onThought }: AskOptions,
  ): Promise<QueryResult | QueryError> {
    const started = performance.now();
    try {
      const [result] = await this.runner.run({ asker, files, statements: [sql], evidence, signal });
      await onThought(resultThought(sql, result!));
      return result!;
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      await onThought(thought('error', error.message, { sql, durationMs: Math.round(performance.now() - started) }));
      return error;
    }
  }
}

function failed(sql: string | null, { code, message }: BadGatewayError | QueryError): Planned {
  return { status: 'failed', sql, error: { code, detail: message } };
}

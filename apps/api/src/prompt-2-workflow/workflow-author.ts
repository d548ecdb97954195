import { BadGatewayError } from '@app/common';
import {
  type LanguageModel,
  MailTransport,
  type ModelMessage,
  type TokenUsage,
  type UsageContext,
} from '@app/integrations';
import { ConversationModel, LanguageModels } from '@app/models';
import { type CatalogueEntry, type DefinitionProblem, parseDefinition, ToolCatalogue } from '@app/workflow-definition';
import type { AuthoringEvent, AuthoringResult, AuthoringRoute, AuthoringStage } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { portsOfTheRunner } from '../workflows/ports-of-the-runner.js';
import {
  type AuthoringTask,
  explainingSystem,
  messagesOf,
  planningSystem,
  writingSystem,
} from './authoring-prompts.js';
import { definitionSchema, type Plan, planSchema, type WrittenDefinition } from './authoring-schemas.js';
import { nodesOf, toJsonSpec, toQuestions, toSkeleton } from './written-definition.js';

/** So often a definition that does not pass the checks goes back to the model. */
const MAX_REPAIRS = 3;
/** Pieces of an explanation are told together when they come faster. */
const DELTA_CHARACTERS = 200;

/** All of the result but what only saving and the turn know. */
export type Authored = Omit<AuthoringResult, 'turn_id' | 'workflow_id' | 'content_revision'>;

export interface Authoring {
  emit(event: AuthoringEvent): Promise<void>;
  signal: AbortSignal;
  /** Adds up. */
  usage: TokenUsage;
  model: LanguageModel;
  account: UsageContext;
}

/**
 * Has the language model plan, write and repair a definition over the catalogue's schemas
 * (docs/contract/workflows.md#workflows-from-plain-words).
 */
@Injectable()
export class WorkflowAuthor {
  private readonly tools: CatalogueEntry[];

  constructor(
    { available }: LanguageModels,
    private readonly catalogue: ToolCatalogue,
    mail: MailTransport,
  ) {
    const ports = portsOfTheRunner({ hasModel: available, hasMail: mail.available });
    this.tools = catalogue.toListing(ports).tools.filter(({ available, deprecated }) => available && !deprecated);
  }

  /** Emits everything but the final event. @throws what the model throws; BadGatewayError for nonsense. */
  async author(task: AuthoringTask, authoring: Authoring): Promise<Authored> {
    const model = new ConversationModel(authoring.model, task.prompt);
    const authored = await this.answer(task, { ...authoring, model });
    return { ...authored, message: `${model.notice}${authored.message}` };
  }

  private async answer(task: AuthoringTask, authoring: Authoring): Promise<Authored> {
    await progress(authoring, 'thinking', 'Reading the request');
    if (task.mode === 'explain') return this.explain(task, authoring, '');
    await progress(authoring, 'planning', 'Planning the workflow', 10);
    const plan = await this.ask(planSchema, planningSystem(this.tools, task), messagesOf(task), authoring);
    if (plan.route === 'explain' && task.base) return this.explain(task, authoring, plan.summary);
    if (plan.route === 'clarify' || plan.nodes.length === 0) return clarification(plan);
    await progress(authoring, 'selecting_tools', namesOf(plan), 25);
    const route: AuthoringRoute = task.base ? 'edit' : 'build';
    await authoring.emit({
      event: 'skeleton',
      data: { phase: 'skeleton', json_spec: toSkeleton(plan), summary: plan.summary, route },
    });
    return this.write(task, plan, route, authoring);
  }

  private async write(task: AuthoringTask, plan: Plan, route: AuthoringRoute, authoring: Authoring): Promise<Authored> {
    const system = writingSystem(this.tools, plan, task);
    const messages: ModelMessage[] = messagesOf(task);
    await progress(authoring, 'writing', 'Writing the nodes', 40);
    for (let repair = 0; ; repair += 1) {
      const written = await this.ask(definitionSchema, system, messages, authoring);
      await progress(authoring, 'validating', 'Checking the definition', 80);
      const { spec, problems } = toJsonSpec(written, task.base);
      const { graph, errors, warnings } = parseDefinition(spec, this.catalogue);
      const found = [...problems, ...errors.map(toLine)];
      if (graph && problems.length === 0) return completed(written, spec, warnings, route);
      if (repair === MAX_REPAIRS) return failed(written, spec, errors, route);
      await progress(authoring, 'repairing', `Mending ${found.length} problems`, 60);
      messages.push(
        { role: 'assistant', content: JSON.stringify(written) },
        {
          role: 'user',
          content: `The definition was refused. Write it again, whole, without these problems:\n${found.slice(0, 50).join('\n')}`,
        },
      );
    }
  }

  private async explain(task: AuthoringTask, authoring: Authoring, summary: string): Promise<Authored> {
    await progress(authoring, 'writing', 'Writing the explanation', 30);
    const { signal, usage, model, account } = authoring;
    const stream = model.streamAnswer({
      system: explainingSystem(this.tools, task),
      messages: messagesOf(task),
      usage: account,
      signal,
    });
    let message = '';
    let pending = '';
    const tell = async () => {
      if (pending !== '')
        await authoring.emit({ event: 'message', data: { role: 'assistant', text: pending, delta: true } });
      pending = '';
    };
    for await (const piece of stream) {
      message += piece;
      pending += piece;
      if (pending.length >= DELTA_CHARACTERS) await tell();
    }
    await tell();
    count(usage, stream.usage());
    if (message.trim() === '')
      throw new BadGatewayError('The language model had nothing to say.', { code: 'model_error' });
    const spec = nodesOf(task.base).length > 0 ? task.base : null;
    return { ...nothing, status: 'completed', message, json_spec: spec, summary, route: 'explain' };
  }

  /** Asks once more when the answer is not of the schema: lenient endpoints do not enforce it. */
  private async ask<T>(
    schema: z.ZodType<T>,
    system: string,
    messages: ModelMessage[],
    { signal, usage, model, account }: Authoring,
  ): Promise<T> {
    const outputSchema = z.toJSONSchema(schema);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await model.generate({ system, messages, outputSchema, temperature: 0, usage: account, signal });
      count(usage, answer);
      const parsed = schema.safeParse(answer.object);
      if (parsed.success) return parsed.data;
      if (attempt === 2)
        throw new BadGatewayError('The language model did not answer in the form that was asked for.', {
          code: 'model_error',
        });
    }
  }
}

const nothing = {
  message: '',
  json_spec: null,
  summary: '',
  questions: [],
  suggestions: [],
  warnings: [],
  error: null,
};

function clarification(plan: Plan): Authored {
  const { message, summary } = plan;
  return {
    ...nothing,
    status: 'clarification',
    message,
    summary,
    questions: toQuestions(plan.questions),
    route: 'clarify',
  };
}

function completed(
  written: WrittenDefinition,
  spec: Record<string, unknown>,
  warnings: readonly DefinitionProblem[],
  route: AuthoringRoute,
): Authored {
  const { message, summary, suggestions } = written;
  return {
    status: 'completed',
    message,
    json_spec: spec,
    summary,
    questions: toQuestions(written.questions),
    suggestions,
    warnings: warnings.map(toWarning),
    route,
    error: null,
  };
}

/** The last try goes along, so that a person can mend it by hand. */
function failed(
  written: WrittenDefinition,
  spec: Record<string, unknown>,
  errors: readonly DefinitionProblem[],
  route: AuthoringRoute,
): Authored {
  const detail = 'The language model did not come to a definition that passes the checks.';
  return {
    ...completed(written, spec, errors, route),
    status: 'failed',
    message: detail,
    error: { code: 'invalid_definition', detail },
  };
}

function toLine({ nodeId, path, message }: DefinitionProblem): string {
  return [nodeId === null ? null : `Node ${JSON.stringify(nodeId)}`, path || null, message].filter(Boolean).join(': ');
}

function toWarning({ code, nodeId, message }: DefinitionProblem) {
  return { code, node_id: nodeId, message };
}

function namesOf({ nodes }: Plan): string {
  return `Using ${[...new Set(nodes.map(({ kind }) => kind))].join(', ')}`.slice(0, 300);
}

function progress({ emit }: Authoring, stage: AuthoringStage, text: string, percent?: number): Promise<void> {
  return emit({ event: 'progress', data: { stage, text, ...(percent !== undefined && { percent }) } });
}

function count(usage: TokenUsage, more: TokenUsage | null): void {
  usage.promptTokens += more?.promptTokens ?? 0;
  usage.completionTokens += more?.completionTokens ?? 0;
}

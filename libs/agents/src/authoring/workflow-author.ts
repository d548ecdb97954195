import { BadGatewayError } from '@app/common';
import { faultOf, type ModelMessage } from '@app/integrations';
import { ConversationModel, isTooLong } from '@app/models';
import { nearestNames } from '@app/workflow-definition';
import { AuthoredDraft, type AuthoringRoute, type Catalogued, type CheckedDraft, likelyKinds } from '@app/workflows';
import { z } from 'zod';
import {
  type AuthoringTask,
  messagesOf,
  planningSystem,
  promptParts,
  type PromptParts,
  repairRequest,
  requestOf,
  writingSystem,
} from './authoring-prompts.js';
import { definitionSchema, operationsSchema, type Plan, planSchema } from './authoring-schemas.js';
import { type Authored, clarification, completed, failed } from './authored-results.js';
import { type Authoring, count, progress } from './authoring-work.js';
import { explain } from './explanation.js';
import { nodesOf } from './base-text.js';
import { kindSchemas } from './kind-texts.js';
import { readPlan } from './read-plan.js';
import { toSkeleton } from './skeleton.js';

/** So often a definition that does not pass the checks goes back to the model. */
const MAX_REPAIRS = 2;
/** Kinds that the words of a request speak of, beside those of the plan. */
const LIKELY = 6;
/** Schemas in a request for a repair. */
const REPAIR_ROOM = 12_000;
interface Writing {
  task: AuthoringTask;
  parts: PromptParts;
  plan: Plan;
  authoring: Authoring;
}

/**
 * Has the language model plan, write and mend a definition over the catalogue's schemas and what the person has
 * (docs/contract/workflows.md#workflows-from-plain-words).
 */
export class WorkflowAuthor {
  constructor(private readonly catalogued: Catalogued) {}

  /**
   * Emits everything but the final event.
   * @returns with the draft of what was written, for a base that somebody changes meanwhile
   * @throws what the model throws; BadGatewayError for nonsense.
   */
  async author(
    task: AuthoringTask,
    authoring: Authoring,
  ): Promise<{ authored: Authored; draft: AuthoredDraft | null }> {
    const model = new ConversationModel(authoring.model, task.prompt);
    const { authored, draft } = await this.answer(task, { ...authoring, model });
    return { authored: { ...authored, message: `${model.notice}${authored.message}` }, draft };
  }

  private async answer(
    task: AuthoringTask,
    authoring: Authoring,
  ): Promise<{ authored: Authored; draft: AuthoredDraft | null }> {
    await progress(authoring, 'thinking', 'Reading the request');
    const parts = promptParts(this.catalogued.tools, task);
    if (task.mode === 'explain') return { authored: await explain(parts, authoring, ''), draft: null };
    await progress(authoring, 'planning', 'Planning the workflow', 10);
    const read = (answer: unknown) => readPlan(answer, this.catalogued.tools);
    const plan = await this.ask(planSchema, read, planningSystem(parts), messagesOf(task), authoring);
    if (plan.route === 'explain' && task.base)
      return { authored: await explain(parts, authoring, plan.summary), draft: null };
    const isEmpty = plan.nodes.length === 0 && (!task.base || plan.questions.length > 0);
    if (plan.route === 'clarify' || isEmpty) return { authored: clarification(plan), draft: null };
    await progress(authoring, 'selecting_tools', namesOf(plan), 25);
    const route: AuthoringRoute = task.base ? 'edit' : 'build';
    await authoring.emit({
      event: 'skeleton',
      data: { phase: 'skeleton', json_spec: toSkeleton(plan, task.base), summary: plan.summary, route },
    });
    return this.write({ task, parts, plan, authoring }, route);
  }

  private async write(
    writing: Writing,
    route: AuthoringRoute,
  ): Promise<{ authored: Authored; draft: AuthoredDraft | null }> {
    const { task, parts, plan, authoring } = writing;
    const { text, given } = kindSchemas(this.catalogued.tools, this.kindsFor(task, plan));
    const system = writingSystem(parts, plan, text);
    const messages: ModelMessage[] = messagesOf(task);
    const draft = new AuthoredDraft(
      {
        request: requestOf(task),
        base: task.base,
        workflowId: task.workflowId,
        things: task.things,
        meant: new Set(plan.nodes.map(({ id }) => id)),
      },
      this.catalogued,
      plan.name,
    );
    const outcome = ({ problems }: CheckedDraft): { authored: Authored; draft: AuthoredDraft } => {
      const isBroken = problems.some(({ isHard }) => isHard);
      return { authored: isBroken ? failed(draft, plan, route) : completed(draft, plan, route), draft };
    };
    await progress(authoring, 'writing', 'Writing the nodes', 40);
    let before: CheckedDraft | null = null;
    for (let repair = 0; ; repair += 1) {
      const schema = draft.hasNodes ? operationsSchema : definitionSchema;
      let written: unknown;
      const read = async (answer: unknown) => {
        written = answer;
        return draft.take(answer);
      };
      let checked: CheckedDraft;
      try {
        checked = await this.ask(schema, read, system, messages, authoring);
      } catch (error) {
        // It is the draft with its problems that the model cannot read, not what the person wrote.
        if (before && isTooLong(error)) return outcome(before);
        throw error;
      }
      before = checked;
      await progress(authoring, 'validating', checked.told, 80);
      if (checked.problems.length === 0 || repair === MAX_REPAIRS) return outcome(checked);
      await progress(authoring, 'repairing', `Mending ${checked.problems.length} problems`, 60);
      messages.push(
        { role: 'assistant', content: JSON.stringify(written) },
        { role: 'user', content: repairRequest(checked.problems, checked.spec, this.schemasFor(checked, given)) },
      );
    }
  }

  /** Those of the plan, of the nodes that it changes, of the request's words, and of the other nodes as far as there is room. */
  private kindsFor(task: AuthoringTask, plan: Plan): string[] {
    const planned = new Set(plan.nodes.map(({ id }) => id));
    const nodes = nodesOf(task.base);
    return [
      ...plan.nodes.map(({ kind }) => kind),
      ...nodes.filter(({ id }) => planned.has(String(id))).map(({ kind }) => String(kind)),
      ...likelyKinds(requestOf(task), this.catalogued.tools, LIKELY),
      ...nodes.map(({ kind }) => String(kind)),
    ];
  }

  /** Of the kinds that the problems are about and that the model has not seen. */
  private schemasFor({ problems, spec }: CheckedDraft, given: Set<string>): string {
    const { tools } = this.catalogued;
    const kinds = tools.map(({ kind }) => kind);
    const nodes = new Map(nodesOf(spec).map((node) => [String(node.id), String(node.kind)]));
    const wanted = problems.flatMap(({ nodeId }) => {
      const kind = nodeId === null ? undefined : nodes.get(nodeId);
      if (kind === undefined) return [];
      return kinds.includes(kind) ? [kind] : nearestNames(kind, kinds, 2);
    });
    const more = kindSchemas(
      tools,
      wanted.filter((kind) => !given.has(kind)),
      REPAIR_ROOM,
    );
    for (const kind of more.given) given.add(kind);
    return more.text;
  }

  /** Asks once more when the answer is not in the form: lenient endpoints do not enforce it, and answers are cut off. */
  private async ask<T>(
    schema: z.ZodType,
    read: (answer: unknown) => T | null | Promise<T | null>,
    system: string,
    messages: readonly ModelMessage[],
    { signal, usage, model, account }: Authoring,
  ): Promise<T> {
    const outputSchema = z.toJSONSchema(schema);
    for (let attempt = 1; ; attempt += 1) {
      const again: ModelMessage[] =
        attempt === 1
          ? []
          : [
              {
                role: 'user',
                content:
                  'Your last answer was cut off, or not JSON of the form that was asked for. Answer again, with the JSON alone and briefly.',
              },
            ];
      try {
        const request = {
          system,
          messages: [...messages, ...again],
          outputSchema,
          temperature: 0,
          usage: account,
          signal,
        };
        const answer = await model.generate(request);
        count(usage, answer);
        const result = await read(answer.object);
        if (result !== null) return result;
      } catch (error) {
        // The endpoint answered, and only its words were no JSON.
        const fault = faultOf(error);
        if (attempt === 2 || fault === null || fault.isOfEndpoint || fault.status !== null) throw error;
        count(usage, fault.usage);
      }
      if (attempt === 2)
        throw new BadGatewayError('The language model did not answer in the form that was asked for.', {
          code: 'model_error',
        });
    }
  }
}

function namesOf({ nodes }: Plan): string {
  const kinds = [...new Set(nodes.map(({ kind }) => kind))];
  return kinds.length === 0 ? 'Changing the nodes that are there' : `Using ${kinds.join(', ')}`.slice(0, 300);
}

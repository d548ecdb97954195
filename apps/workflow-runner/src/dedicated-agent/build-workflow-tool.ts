import {
  AuthoredSaves,
  type AgentTool,
  type Authored,
  type AuthoringTask,
  AuthorsThings,
  cutLine,
  ToolCallError,
  WorkflowAuthor,
} from '@app/agents';
import { DomainError, isUuid } from '@app/common';
import { DedicatedAgents } from '@app/dedicated-agent';
import { ModelChoice } from '@app/models';
import { toolApproval, type ToolPorts } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { type AuthoringEvent, RevisionCache, WorkflowAccess, WorkflowReader } from '@app/workflows';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { TurnCaller } from '../agent/catalogue-tools.js';
import { toCallError } from '../agent/tool-failure.js';
import { TOOL_PORTS } from '../ports/tool-ports.js';

const STAGE = 'stage:workflow';
const SHOWN = 300;
/** What a frame says before anything of it is known. */
const EMPTY = { workflow_id: null, content_revision: null, summary: '', questions: [], suggestions: [], warnings: [] };

const asked = z.object({
  request: z.string().trim().min(1).max(20_000),
  workflow_id: z.string().refine(isUuid, 'Enter the id of a workflow.').nullish(),
});

type Work = Pick<AuthoringTask, 'base' | 'workflowId' | 'mode'> & { contentRevision: number | null; name: string };

/** Lets a dedicated agent have workflows written and changed in plain words, and shows them while they come into being. */
@Injectable()
export class BuildWorkflowTool {
  private readonly logger = new Logger(BuildWorkflowTool.name);
  private readonly author: WorkflowAuthor;

  constructor(
    @Inject(TOOL_PORTS) ports: ToolPorts,
    private readonly things: AuthorsThings,
    private readonly saves: AuthoredSaves,
    private readonly models: ModelChoice,
    private readonly access: WorkflowAccess,
    private readonly reader: WorkflowReader,
    private readonly revisions: RevisionCache,
    private readonly agents: DedicatedAgents,
  ) {
    // Whoever uses this tool is a model.
    const { tools } = toolCatalogue.toListing({ ...ports, llm: true, agent: true });
    const usable = tools.filter((tool) => tool.available && !tool.deprecated);
    this.author = new WorkflowAuthor({ catalogue: toolCatalogue, tools: usable });
  }

  of(caller: TurnCaller): AgentTool {
    const { userId } = caller.viewer;
    return {
      name: 'build_workflow',
      title: 'Build a workflow',
      description:
        'Has a workflow written from plain words and saved, or one that there is changed, with its workflow_id. The user is asked first. It is not started: run_workflow. Not for a task that you do yourself by the clock: create_job.',
      inputSchema: {
        type: 'object',
        properties: {
          request: { type: 'string', title: 'What it does', description: 'All that it takes, step by step.' },
          workflow_id: { type: 'string', title: 'Workflow', description: 'Of list_workflows; a new one when absent.' },
        },
        required: ['request'],
        additionalProperties: false,
      },
      effectsOf: () => 'external',
      targetOf: ({ workflow_id: id }) =>
        typeof id === 'string' ? { key: `workflow:${id}`, label: `the workflow ${id}` } : null,
      approvalFor: async ({ request, workflow_id: id }) => {
        const what =
          id === undefined || id === null ? 'Build a workflow' : `Change the workflow ${await this.nameOf(userId, id)}`;
        const summary = `${what}: ${cutLine(String(request), SHOWN)}`;
        return toolApproval('build_workflow', JSON.stringify([id ?? null, request]), summary);
      },
      run: async (input, { signal }) => {
        try {
          const parsed = asked.safeParse(input);
          if (!parsed.success) throw new ToolCallError('invalid_params', z.prettifyError(parsed.error), true);
          return await this.build(caller, parsed.data, signal);
        } catch (error) {
          signal.throwIfAborted();
          throw toCallError(error, 'build_workflow', this.logger);
        }
      },
    };
  }

  private async build(
    { viewer: { userId, turnId, modelId }, tell }: TurnCaller,
    { request: prompt, workflow_id: id }: z.infer<typeof asked>,
    signal: AbortSignal,
  ) {
    const user = await this.agents.ownerOf(userId);
    const work = await this.workOn(userId, id ?? null);
    const things = await this.things.of(userId, work.workflowId);
    const model = await this.models.choose(userId, modelId ?? null);
    const emit = async ({ event, data }: AuthoringEvent) => {
      if (event === 'skeleton') tell(STAGE, { ...EMPTY, workflow_id: work.workflowId, ...data });
    };
    const usage = { promptTokens: 0, completionTokens: 0, cost: 0 };
    const account = { userId, purpose: 'authoring', ...(turnId !== undefined && { turnId }) };
    const task = { prompt, history: [], answers: {}, language: null, things, ...work };
    const { authored, draft } = await this.author.author(task, { emit, signal, usage, model, account });
    signal.throwIfAborted();
    const { workflowId, contentRevision, name } = work;
    const saved = await this.saves.save(
      user,
      { workflowId, contentRevision, save: true },
      { authored, draft, emit, mayRebase: workflowId !== null, name },
    );
    const result = { ...authored, ...saved };
    if (result.json_spec !== null) tell(STAGE, toFinal(result));
    const used = { tokens: usage.promptTokens + usage.completionTokens, cost: usage.cost };
    return { output: toOutput(result), isError: result.status === 'failed', usage: used };
  }

  /** @throws NotFoundError, ForbiddenError */
  private async workOn(userId: number, workflowId: string | null): Promise<Work> {
    if (workflowId === null) return { mode: 'build', base: null, workflowId, contentRevision: null, name: '' };
    await this.access.require(userId, workflowId, 'editor');
    const { contentRevision, name } = await this.reader.get(userId, workflowId);
    const { jsonSpec } = await this.revisions.get(workflowId, contentRevision);
    return { mode: 'edit', base: jsonSpec as Record<string, unknown>, workflowId, contentRevision, name };
  }

  /** For whoever has to agree. */
  private async nameOf(userId: number, id: unknown): Promise<string> {
    try {
      return isUuid(id) ? JSON.stringify((await this.reader.get(userId, id)).name) : String(id);
    } catch (error) {
      if (error instanceof DomainError) return String(id);
      throw error;
    }
  }
}

type Built = Authored & { workflow_id: string | null; content_revision: number | null };

function toFinal({
  json_spec,
  workflow_id,
  content_revision,
  summary,
  questions,
  suggestions,
  warnings,
  route,
}: Built) {
  return { phase: 'final', json_spec, workflow_id, content_revision, summary, questions, suggestions, warnings, route };
}

/** The model has no use for the definition itself. */
function toOutput({ status, message, workflow_id, summary, questions, suggestions, warnings, error }: Built) {
  return { status, message, workflow_id, summary, questions, suggestions, warnings, ...(error && { error }) };
}

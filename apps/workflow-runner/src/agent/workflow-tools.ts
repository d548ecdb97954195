import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentTool, cutLine, type Party, ToolCallError } from '@app/agents';
import { DomainError, isUuid, toJsonText } from '@app/common';
import { toolApproval, type Viewer, withoutSystemKeys } from '@app/workflow-definition';
import type { RunControl, RunResult, RunResults, WorkflowAccess, WorkflowReader } from '@app/workflows';
import { Logger } from '@nestjs/common';
import { toCallError } from './tool-failure.js';

export interface Workflows {
  reader: WorkflowReader;
  access: WorkflowAccess;
  control: RunControl;
  results: RunResults;
}

const LISTED = 30;
const WAIT_SECONDS = { preset: 60, most: 300 };
const FIRST_LOOK_MS = 250;
const LAST_LOOK_MS = 3_000;
const MAX_PAYLOAD = 64 * 1024;
/** Of the column. */
const MAX_VERSION = 2 ** 31 - 1;
const ENDS = new Set(['COMPLETED', 'FAILED', 'STOPPED']);

/** Lets an agent find and run the workflows of its user, with the user's rights. */
export class WorkflowTools {
  private readonly logger = new Logger(WorkflowTools.name);

  constructor(private readonly workflows: Workflows) {}

  list(viewer: Viewer): AgentTool[] {
    return [this.finder(viewer), this.runner(viewer), this.watcher(viewer)];
  }

  private finder({ userId }: Viewer): AgentTool {
    return {
      ...READING,
      name: 'list_workflows',
      title: 'List workflows',
      description: 'Lists workflows that the user may see, with id, name, description and status.',
      inputSchema: {
        type: 'object',
        properties: { search: { type: 'string', description: 'Part of the name or the description.' } },
        additionalProperties: false,
      },
      run: async ({ search }) => {
        const filter = typeof search === 'string' && search !== '' ? { search } : {};
        const page = await this.workflows.reader.list(userId, filter, { page: 1, pageSize: LISTED });
        const items = page.items.map(({ id, name, description, status }) => ({
          id,
          name,
          description: cutLine(description ?? '', 300),
          status,
        }));
        return { output: { count: page.count, workflows: items } };
      },
    };
  }

  private runner({ userId }: Viewer): AgentTool {
    return {
      name: 'run_workflow',
      title: 'Run a workflow',
      description:
        'Starts a workflow of the user, who is asked first, and waits for its result for a while. Not for one that has been started: workflow_result. Which there are: list_workflows.',
      inputSchema: {
        type: 'object',
        properties: {
          workflow_id: { type: 'string', title: 'Workflow', description: 'Of list_workflows.' },
          inputs: { type: 'object', description: 'What its start nodes get as their payload.' },
          wait_seconds: { type: 'integer', minimum: 0, maximum: WAIT_SECONDS.most },
        },
        required: ['workflow_id'],
        additionalProperties: false,
      },
      effectsOf: () => 'external',
      sourceOf: toParty,
      targetOf: toParty,
      approvalFor: async ({ workflow_id: id }) =>
        toolApproval('run_workflow', String(id), `Run the workflow ${await this.nameOf(userId, id)}`),
      run: async ({ workflow_id: id, inputs, wait_seconds: seconds }, { signal }) => {
        const payload = payloadOf(inputs);
        const wait = wholeNumberOf('wait_seconds', seconds ?? WAIT_SECONDS.preset, WAIT_SECONDS.most);
        try {
          const workflowId = workflowIdOf(id);
          await this.workflows.access.requireRun(userId, workflowId);
          const start = { trigger: 'agent' as const, userId, payload, supersede: false };
          const version = await this.workflows.control.start(workflowId, start);
          return { output: toOutput(version, await this.waitFor(workflowId, version, wait * 1_000, signal)) };
        } catch (error) {
          signal.throwIfAborted();
          throw toCallError(error, 'run_workflow', this.logger);
        }
      },
    };
  }

  private watcher({ userId }: Viewer): AgentTool {
    return {
      ...READING,
      sourceOf: toParty,
      name: 'workflow_result',
      title: 'Look at a workflow run',
      description:
        'Tells how a run of a workflow stands, and its result when it is over. Not for starting one: run_workflow.',
      inputSchema: {
        type: 'object',
        properties: {
          workflow_id: { type: 'string' },
          version: { type: 'integer', description: 'Number of the run.' },
        },
        required: ['workflow_id', 'version'],
        additionalProperties: false,
      },
      run: async ({ workflow_id: id, version: given }, { signal }) => {
        const version = wholeNumberOf('version', given, MAX_VERSION);
        try {
          const workflowId = workflowIdOf(id);
          await this.workflows.access.require(userId, workflowId, 'viewer');
          const run = await this.workflows.results.find(workflowId, version);
          if (!run) throw new ToolCallError('run_not_found', 'There is no such run.', true);
          return { output: toOutput(version, run) };
        } catch (error) {
          signal.throwIfAborted();
          throw toCallError(error, 'workflow_result', this.logger);
        }
      },
    };
  }

  /** For whoever has to agree. */
  private async nameOf(userId: number, id: unknown): Promise<string> {
    try {
      return JSON.stringify((await this.workflows.reader.get(userId, workflowIdOf(id))).name);
    } catch (error) {
      if (error instanceof ToolCallError || error instanceof DomainError) return String(id);
      throw error;
    }
  }

  private async waitFor(
    workflowId: string,
    version: number,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<RunResult | null> {
    const until = performance.now() + milliseconds;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, LAST_LOOK_MS)) {
      const run = await this.workflows.results.find(workflowId, version);
      if (!run || ENDS.has(run.status) || performance.now() >= until) return run;
      await sleep(Math.min(pause, Math.max(1, until - performance.now())), undefined, { signal });
    }
  }
}

/** What a workflow brings home is not the platform's. */
function toParty({ workflow_id: id }: Record<string, unknown>): Party {
  return { key: `workflow:${String(id)}`, label: `the workflow ${String(id)}` };
}

const READING = { effectsOf: () => 'none' as const, approvalFor: () => null };

function toOutput(version: number, run: RunResult | null) {
  if (!run) return { version, status: 'UNKNOWN' };
  const { status, error, result } = run;
  const note = ENDS.has(status) ? {} : { note: 'It goes on. Look at it later with workflow_result.' };
  return { version, status, ...(error && { error }), result, ...note };
}

function workflowIdOf(id: unknown): string {
  if (!isUuid(id)) throw new ToolCallError('invalid_params', 'workflow_id: Enter the id of a workflow.', true);
  return id;
}

/** Models write numbers as texts now and then; what is none is told, and not taken for another one. */
function wholeNumberOf(name: string, given: unknown, most: number): number {
  const number = typeof given === 'string' && /^\s*\d{1,9}\s*$/.test(given) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
    throw new ToolCallError('invalid_params', `${name}: Enter a whole number, 0 or more.`, true);
  return Math.min(number, most);
}

function payloadOf(inputs: unknown): Record<string, unknown> | null {
  if (inputs === undefined || inputs === null) return null;
  if (typeof inputs !== 'object' || Array.isArray(inputs))
    throw new ToolCallError('invalid_params', 'inputs: Enter an object.', true);
  if (toJsonText(inputs).length > MAX_PAYLOAD) throw new ToolCallError('payload_too_large', 'inputs: Too large.', true);
  return withoutSystemKeys(inputs as Record<string, unknown>);
}

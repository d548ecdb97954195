import {
  AgentLoop,
  type AgentHost,
  type AgentTool,
  cutMiddle,
  MemoryResults,
  newAgentState,
  readResultTool,
  systemPrompt,
  toReadableText,
  turnNotes,
  AgentTools,
  withResults,
} from '@app/agents';
import { SystemClock } from '@app/common';
import type { ChosenModels } from '@app/integrations';
import { type AgentPort, type NodeUsage, type StoragePort, ToolError, type Viewer } from '@app/workflow-definition';
import { asToolError } from '../ports/as-tool-error.js';
import { toUsageContext } from '../ports/used-models.js';
import { resultCharacters, toAgentModel } from './agent-models.js';
import type { AgentSettings } from './agent-settings.js';
import type { CatalogueTools, Caller } from './catalogue-tools.js';
import { pictureReader } from './read-picture.js';
import type { ServerTools } from './server-tools.js';

/** The node's own time limit ends earlier or just after. */
const MOST_MS = 1_780_000;
/** Of one output in the list of steps. */
const KEPT_OUTPUT = 10_000;
const SERVER_TOOL = /^(?:mcp:)?([a-z0-9][a-z0-9_-]*?)(?:__|\/)(.+)$/i;

type Step = Awaited<ReturnType<AgentPort['run']>>['steps'][number];

/** The agent as a node: nobody can be asked, and it has the tools that its author listed, with all of their effects. */
export class WorkflowAgents implements AgentPort {
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ChosenModels,
    private readonly catalogue: CatalogueTools,
    private readonly servers: ServerTools,
    private readonly settings: AgentSettings,
    private readonly storage: StoragePort | undefined,
  ) {}

  run(viewer: Viewer, request: Parameters<AgentPort['run']>[1], options: Parameters<AgentPort['run']>[2]) {
    return asToolError(this.work(viewer, request, options));
  }

  private async work(
    viewer: Viewer,
    { instructions, prompt, tools: names, maxSteps }: Parameters<AgentPort['run']>[1],
    { signal, idempotencyKey, onText }: Parameters<AgentPort['run']>[2],
  ): ReturnType<AgentPort['run']> {
    const [runId] = idempotencyKey.split(':');
    const usage = toUsageContext({ ...viewer, ...(runId !== undefined && { runId }) });
    const chosen = await this.models.choose(viewer.userId, viewer.modelId);
    const model = toAgentModel(chosen, usage);
    const steps: Step[] = [];
    const tools = await this.toolsNamed(
      names,
      { viewer: { ...viewer, modelId: chosen.descriptor.id }, workId: runId ?? idempotencyKey },
      signal,
    );
    const notes = turnNotes({ now: this.clock.date(), timeZone: null, language: null, data: [], memories: [] });
    const state = { ...newAgentState(), opening: `${notes}\n\n${prompt}` };
    const host = new NodeHost(signal, onText);
    const { maxTokens, maxCost } = this.settings;
    const shown = resultCharacters(model, this.settings.resultCharacters);
    const results = new MemoryResults(idempotencyKey);
    const listed = tools.map((tool) => (tool.name === 'code' ? withResults(tool, results) : tool));
    const reader = listed.length > 0 ? [readResultTool(results, shown)] : [];
    const loop = new AgentLoop(
      {
        system: systemPrompt({
          instructions: instructions || null,
          approvals: 'none',
          asksUser: false,
        }),
        history: [],
        question: prompt,
        images: [],
        model,
        readPicture: pictureReader(this.storage, viewer),
        tools: new AgentTools([...listed.map((tool) => noting(tool, steps)), ...reader], [], { asksUser: false }),
        limits: { maxSteps, maxTokens, maxCost, deadlineAt: this.clock.now() + MOST_MS },
        rules: {
          policy: 'allow',
          approvals: { isGranted: () => Promise.resolve(true), remember: () => Promise.resolve() },
          questionSeconds: 0,
          resultCharacters: shown,
          turnId: idempotencyKey,
          results,
        },
      },
      state,
      host,
      this.clock,
    );
    const used = (): NodeUsage => {
      const { promptTokens, completionTokens, cost } = state.usage;
      return { tokens: promptTokens + completionTokens, spend: cost };
    };
    const end = await asToolError(loop.run(null), used);
    if ('wait' in end) {
      const message = 'The agent asked a question, which nobody can answer here.';
      throw new ToolError('wait_not_possible', message, false, { usage: used() });
    }
    return {
      text: host.published.text,
      steps,
      model: end.model,
      usage: used(),
    };
  }

  /** Kinds of the catalogue by their kind, tools of connected servers as `<slug>__<tool>` or `mcp:<slug>/<tool>`. */
  private async toolsNamed(names: readonly string[], caller: Caller, signal: AbortSignal): Promise<AgentTool[]> {
    const connected = names.some((name) => SERVER_TOOL.test(name))
      ? await this.servers.list(caller.viewer, signal)
      : [];
    return Promise.all(
      [...new Set(names)].map(async (name) => {
        const [, slug, tool] = SERVER_TOOL.exec(name) ?? [];
        const offered = `${slug}__${tool}`;
        const found =
          this.catalogue.find(name, caller) ?? connected.find((one) => one.name === name || one.name === offered);
        if (found) return found;
        const why = slug === undefined ? null : await this.servers.whyMissing(caller.viewer, offered);
        const told = why === null ? `There is no tool ${JSON.stringify(name)} for an agent.` : `${name}: ${why}`;
        throw new ToolError('unknown_tool', told, false);
      }),
    );
  }
}

/** Nothing is kept: a lost node is not tried again by itself. */
class NodeHost implements AgentHost {
  readonly published = { text: '' };

  constructor(
    readonly signal: AbortSignal,
    private readonly onText: ((text: string) => void) | undefined,
  ) {}

  text(piece: string): void {
    this.published.text += piece;
    this.onText?.(this.published.text);
  }

  stage(): void {}

  flush(): Promise<void> {
    return Promise.resolve();
  }

  save(): Promise<void> {
    return Promise.resolve();
  }
}

/** Writes down what the agent did, for whoever reads the run. */
function noting(tool: AgentTool, steps: Step[]): AgentTool {
  return {
    ...tool,
    run: async (input, context) => {
      const step: Step = { tool: tool.name, input, output: null };
      steps.push(step);
      try {
        const answer = await tool.run(input, context);
        step.output = kept(answer.output);
        return answer;
      } catch (error) {
        step.output = { error: error instanceof Error ? error.message : String(error) };
        throw error;
      }
    },
  };
}

function kept(output: unknown): unknown {
  const text = toReadableText(output);
  return text.length > KEPT_OUTPUT ? cutMiddle(text, KEPT_OUTPUT) : (output ?? null);
}

import { withSpan } from '@app/observability';
import type { AgentHost } from './agent-host.js';
import type { AgentState, CallState } from './agent-state.js';
import { cutLine, cutMiddle, toReadableText } from './bounded-text.js';
import { describeCall, finish, finishedEvent } from './call-outcome.js';
import { Citations, type EarlierSources } from './citations.js';
import { keepAsCard, type ResultStore } from '../kept-results/index.js';
import { delimit } from '../prompts/delimiters.js';
import { type AgentTool, type ToolAnswer, ToolCallError, type ToolEffects } from './tool.js';
import { addLoaded } from './agent-tools.js';
import { spanAttributes, spanName } from './agent-spans.js';

const SHOWN_ERROR = 300;

export interface ExecutionRules {
  /** Of one result that is shown whole. */
  resultCharacters: number;
  turnId: string;
  /** What earlier turns of the conversation can be cited by. */
  earlier?: EarlierSources;
  /** Where longer ones are kept; nowhere when absent: then their middle is left out. */
  results?: ResultStore;
}

/** Carries out one call, and keeps what came of it. */
export class CallExecution {
  constructor(
    private readonly state: AgentState,
    private readonly host: AgentHost,
    private readonly rules: ExecutionRules,
    private readonly save: () => Promise<void>,
  ) {}

  /** @param toolSignal aborts when tools have to be done */
  async carryOut(call: CallState, tool: AgentTool, toolSignal: AbortSignal): Promise<void> {
    const { input } = call.call;
    const begun = performance.now();
    call.beganAt = new Date().toISOString();
    const step = { tool: tool.name, step_id: call.place, step_description: describeCall(tool, input) };
    this.host.stage('stage:tool_started', step);
    const effects = tool.effectsOf(input);
    if (effects === 'external') {
      call.status = 'started';
      await this.save();
    }
    const source = tool.sourceOf?.(input);
    if (source) call.source = source;
    const failure = await withSpan(`execute_tool ${spanName(tool)}`, { attributes: spanAttributes(call, tool) }, () =>
      this.run(call, tool, effects, toolSignal),
    );
    call.durationMs = Math.round(performance.now() - begun);
    this.host.stage('stage:tool_finished', finishedEvent(call, call.durationMs, failure));
    await this.save();
  }

  /** @returns what failed, for people */
  private async run(
    call: CallState,
    tool: AgentTool,
    effects: ToolEffects,
    toolSignal: AbortSignal,
  ): Promise<string | null> {
    try {
      this.host.signal.throwIfAborted();
      const citations = new Citations(this.state.sources, this.rules.earlier);
      const context = {
        idempotencyKey: `${this.rules.turnId}:${call.place}`,
        signal: toolSignal,
        cite: citations.cite.bind(citations),
      };
      const answer = await abortable(tool.run(call.call.input, context), toolSignal);
      this.keep(answer);
      const { output, isError = false, isCut = saysCut(output) } = answer;
      const failure = await this.finishWith(call, tool, { text: toReadableText(output), isError, isCut });
      const { pictures = [], heard = [] } = answer;
      if (heard.length > 0) call.heard = heard;
      if (pictures.length > 0) call.outcome = { ...call.outcome!, pictures };
      return failure;
    } catch (error) {
      this.host.signal.throwIfAborted();
      if (toolSignal.aborted) {
        const unknown = effects === 'external' ? ' Nobody knows whether it took effect.' : '';
        const said = `The time of this turn is nearly up; the call was given up.${unknown}`;
        return this.finishWith(call, tool, { text: said, isError: true });
      }
      if (!(error instanceof ToolCallError)) throw error;
      call.isMistake = error.isMistake;
      return this.finishWith(call, tool, { text: error.message, isError: true });
    }
  }

  private async finishWith(
    call: CallState,
    tool: AgentTool,
    came: { text: string; isError: boolean; isCut?: boolean },
  ): Promise<string | null> {
    const { text, isError } = came;
    const { resultCharacters: shown, results } = this.rules;
    const isLong = text.length > shown;
    const result = { place: call.place, tool: tool.name, ...came };
    const card = isLong && results ? await keepAsCard(result, results, shown) : null;
    const label = `${isError ? 'error' : 'result'} of ${tool.name}`;
    finish(call, card ?? delimit(cutMiddle(text, shown), label), isError);
    return isError ? cutLine(text, SHOWN_ERROR) : null;
  }

  private keep({ files = [], mgid, dashboardId, loads = [], usage }: ToolAnswer): void {
    const { state } = this;
    state.usage.promptTokens += usage?.tokens ?? 0;
    state.usage.cost += usage?.cost ?? 0;
    state.files.push(...files.filter((file) => !state.files.includes(file)));
    state.mgid = mgid ?? state.mgid;
    state.dashboardId = dashboardId ?? state.dashboardId;
    if (loads.length > 0) state.loadedTools = addLoaded(state.loadedTools, loads);
  }
}

function saysCut(output: unknown): boolean {
  return typeof output === 'object' && output !== null && 'truncated' in output && output.truncated === true;
}

/** Ends the wait for a tool that does not listen to its signal. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

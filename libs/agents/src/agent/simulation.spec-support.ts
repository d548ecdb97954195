import {
  LanguageModel,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelDescriptor,
  type ModelMessage,
  type StepEnd,
  type StepPart,
  type StepStream,
} from '@app/integrations';
import type { AgentHost } from './agent-host.js';
import type { AgentWork } from './agent-loop.js';
import type { AgentModel } from './agent-model.js';
import { newAgentState, type AgentState } from './agent-state.js';
import { KeptState, type KeptTexts } from './kept-state.js';
import type { Approvals } from './approvals.js';
import type { AgentTool, ToolAnswer, ToolCallContext, ToolEffects } from './tool.js';
import { AgentTools } from './agent-tools.js';

export type ModelCall = Parameters<LanguageModel['streamStep']>[0];

/** What a scripted model does in one step: text, calls, or a failure. */
export interface ScriptedStep {
  text?: string;
  calls?: { id?: string; name: string; input?: Record<string, unknown>; problem?: string }[];
  /** Thrown after this many characters of the text. */
  breaksOffAfter?: { characters: number; error: Error };
  reason?: StepEnd['reason'];
}

/** Answers each call by a function of its messages, in pieces; never by chance. */
export class ScriptedModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor = {
    id: 1,
    name: 'Scripted',
    value: 'scripted',
    provider: 'test',
    capability: 'chat',
    onPremises: true,
    contextWindow: null,
    maxOutputTokens: null,
    supports: { tools: true, structuredOutput: true, images: false, reasoning: false },
  };
  readonly calls: ModelCall[] = [];
  cost = 0;
  summary = 'What came before, in short.';

  constructor(
    private readonly script: (call: ModelCall) => ScriptedStep,
    private readonly pass: () => Promise<void> = () => Promise.resolve(),
  ) {
    super();
  }

  streamStep(request: ModelCall): StepStream {
    this.calls.push(request);
    let end: StepEnd | null = null;
    const parts = this.parts(this.script(request), (ended) => (end = ended));
    return { [Symbol.asyncIterator]: () => parts, end: () => end };
  }

  streamAnswer(): AnswerStream {
    throw new Error('Agents take steps.');
  }

  generate(): Promise<GeneratedAnswer> {
    return Promise.resolve({ text: this.summary, model: 'scripted', promptTokens: 1, completionTokens: 1 });
  }

  private async *parts(step: ScriptedStep, ended: (end: StepEnd) => void): AsyncGenerator<StepPart, void> {
    const { text = '', calls = [], breaksOffAfter } = step;
    for (let at = 0; at < text.length; at += 5) {
      await this.pass();
      if (breaksOffAfter && at >= breaksOffAfter.characters) throw breaksOffAfter.error;
      yield { type: 'text', text: text.slice(at, at + 5) };
    }
    await this.pass();
    for (const [index, { id = `c${index}`, name, input = {}, problem }] of calls.entries())
      yield { type: 'tool_call', call: { id, name, input, ...(problem !== undefined && { problem }) } };
    const reason = step.reason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
    ended({ reason, usage: { promptTokens: 10, completionTokens: 5, cost: this.cost }, model: 'scripted' });
  }
}

/** What survives a worker: the log of what was told, and the state. */
export interface Durable {
  published: string;
  state: Record<string, unknown> | null;
  steps: KeptTexts[];
  /** Bytes of all that was written. */
  written: number;
  stages: { type: string; event: unknown }[];
}

export function newDurable(): Durable {
  return { published: '', state: null, steps: [], written: 0, stages: [] };
}

/** What another worker goes on from; null where nothing was kept. */
export function stateOf({ state, steps }: Durable): AgentState | null {
  return new KeptState(steps).read(structuredClone(state));
}

/** A host whose writes last, and that can die at each of them. */
export class MemoryHost implements AgentHost {
  readonly controller = new AbortController();
  private ahead = '';
  private readonly kept: KeptState;

  constructor(
    readonly durable: Durable,
    private readonly pass: () => Promise<void> = () => Promise.resolve(),
    /** How much of what nobody waited for is written when the worker dies. */
    private readonly survives: (text: string) => string = (text) => text,
    private readonly saved: () => void = () => undefined,
  ) {
    this.kept = new KeptState(durable.steps);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get published(): { readonly text: string } {
    return { text: this.durable.published + this.ahead };
  }

  get state(): AgentState {
    return stateOf(this.durable) ?? newAgentState();
  }

  text(piece: string): void {
    this.ahead += piece;
  }

  stage(type: string, event: unknown = null): void {
    this.durable.stages.push({ type, event });
  }

  async flush(): Promise<void> {
    await this.pass();
    this.write();
    await this.pass();
  }

  async save(state: AgentState): Promise<void> {
    const packed = await this.kept.pack(state);
    await this.pass();
    this.write();
    await this.pass();
    // One transaction.
    this.durable.state = packed.row;
    if (packed.added) this.durable.steps.push(packed.added);
    this.durable.written += JSON.stringify(packed.row).length + (packed.added?.texts.length ?? 0);
    this.saved();
    await this.pass();
    this.kept.written(packed);
  }

  die(): void {
    this.durable.published += this.survives(this.ahead);
    this.ahead = '';
  }

  private write(): void {
    this.durable.published += this.ahead;
    this.ahead = '';
  }
}

export function tool(
  name: string,
  run: (input: Record<string, unknown>, context: ToolCallContext) => Promise<ToolAnswer> | ToolAnswer,
  more: Partial<AgentTool> & { effects?: ToolEffects; approval?: string } = {},
): AgentTool {
  const { effects = 'none', approval, ...rest } = more;
  return {
    name,
    title: name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    effectsOf: () => effects,
    approvalFor: () => (approval === undefined ? null : { key: approval, summary: `May ${name} run?` }),
    run: async (input, context) => run(input, context),
    ...rest,
  };
}

export class MemoryApprovals implements Approvals {
  readonly granted = new Map<string, string>();

  isGranted(key: string): Promise<boolean> {
    return Promise.resolve(this.granted.has(key));
  }

  remember(key: string, _summary: string, scope: 'session' | 'always'): Promise<void> {
    this.granted.set(key, scope);
    return Promise.resolve();
  }
}

export function agentModel(model: LanguageModel, more: Partial<AgentModel> = {}): AgentModel {
  return {
    model,
    contextTokens: 100_000,
    maxOutputTokens: null,
    readsImages: false,
    usage: { userId: 1, purpose: 'agent' },
    ...more,
  };
}

export function agentWork(
  model: LanguageModel,
  tools: readonly AgentTool[],
  more: Partial<Omit<AgentWork, 'rules' | 'limits'>> & {
    rules?: Partial<AgentWork['rules']>;
    limits?: Partial<AgentWork['limits']>;
  } = {},
): AgentWork {
  const { rules, limits, ...rest } = more;
  return {
    system: 'You are an agent.',
    history: [],
    question: 'What is it?',
    images: [],
    model: agentModel(model),
    tools: new AgentTools(tools, [], { asksUser: true }),
    limits: { maxSteps: 10, maxTokens: 1_000_000, maxCost: 0, deadlineAt: Date.now() + 600_000, ...limits },
    rules: {
      policy: 'ask',
      approvals: new MemoryApprovals(),
      questionSeconds: 60,
      resultCharacters: 5_000,
      turnId: 'turn',
      ...rules,
    },
    ...rest,
  };
}

/** The messages of a call without those that ask a model to go on. */
export function outcomesIn(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((one) => (one.role === 'tool' ? one.outcomes.map(({ output }) => output) : []));
}

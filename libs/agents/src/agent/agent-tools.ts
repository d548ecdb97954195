import type { ModelTool } from '@app/integrations';
import { ToolIndex } from '../tool-search/tool-index.js';
import { cutLine } from './bounded-text.js';
import { FIND_TOOLS, findToolsTool, type FinderOptions } from './find-tools-tool.js';
import { estimateToolTokens } from './tokens.js';
import { toModelTool } from './tool-forms.js';
import { foundWithin, type ShownTools, toolsFor } from './tool-room.js';
import type { AgentTool } from './tool.js';

/** What the definitions of connected tools may take of each prompt at most; with more, they come on demand. */
const SHOWN_TOKENS = 8_000;
/** Loaded ones beyond this go again, the oldest first. */
const MAX_LOADED = 30;

export { FIND_TOOLS };
export const ASK_USER = 'ask_user';

const ASK_USER_TOOL: ModelTool = {
  name: ASK_USER,
  description:
    'Asks the user a question and waits for the reply. Only where you cannot go on without it: a choice that is theirs, or something that no tool can find out. Ask one question at a time.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'In the language of the user.' },
      options: { type: 'array', items: { type: 'string' }, maxItems: 10, description: 'Answers to choose from.' },
    },
    required: ['question'],
  },
};

export interface AgentToolsOptions extends FinderOptions {
  asksUser: boolean;
  /** What the definitions of connected tools may take of each prompt, in tokens; an eighth of a small window at most. */
  shownTokens?: number;
  /** Names of own tools that are shown before others where a window is too small for all, the first first. */
  first?: readonly string[];
  /** Why a tool is not among these that there is otherwise, for a model that knows it from before; null: there is none. */
  whyMissing?(name: string): Promise<string | null>;
}

interface Showing extends ShownTools {
  finder: AgentTool | null;
  /** With what asks the user. */
  always: readonly ModelTool[];
}

/** The tools of one turn: all of them can be called, not all are shown at once. */
export class AgentTools {
  private readonly byName: ReadonlyMap<string, AgentTool>;
  private contextTokens = Infinity;
  private showing: Showing | null = null;
  private index: ToolIndex<AgentTool> | null = null;

  /**
   * @param tools those of the product; shown while they leave room for what is spoken of
   * @param more those of tool servers; shown while their definitions are short
   */
  constructor(
    private readonly tools: readonly AgentTool[],
    private readonly more: readonly AgentTool[],
    private readonly options: AgentToolsOptions,
  ) {
    this.byName = new Map([...tools, ...more].map((tool) => [tool.name, tool]));
  }

  /** Whether there is somebody who could reply to a question. */
  get asksUser(): boolean {
    return this.options.asksUser;
  }

  /** From now on for a model that reads and writes so many tokens in one call; until it is told, for one without a limit. */
  fitTo(contextTokens: number): void {
    if (contextTokens === this.contextTokens) return;
    this.contextTokens = contextTokens;
    this.showing = null;
  }

  find(name: string): AgentTool | undefined {
    return name === FIND_TOOLS ? (this.shownNow().finder ?? undefined) : this.byName.get(name);
  }

  /** Whether a call of it has to be followed by its schema. */
  isDeferred(name: string): boolean {
    return this.shownNow().deferred.some((tool) => tool.name === name);
  }

  /**
   * What the model is given for a step: what is loaded stands behind what was there, so that prompts keep their beginning.
   * @param called names of tools that the turn has called
   */
  shown(loaded: readonly string[], called: ReadonlySet<string> = new Set()): ModelTool[] {
    const { always, deferred, form } = this.shownNow();
    const found = [...new Set([...loaded, ...called])].flatMap(
      (name) => deferred.find((tool) => tool.name === name) ?? [],
    );
    const room = { contextTokens: this.contextTokens, taken: estimateToolTokens(always), called };
    return [...always, ...foundWithin(found, form, room)];
  }

  private shownNow(): Showing {
    if (this.showing) return this.showing;
    const { tools, more, options, contextTokens } = this;
    const { shownTokens = SHOWN_TOKENS, first = [], asksUser } = options;
    const shown = toolsFor(tools, more, { contextTokens, shownTokens, first });
    const { deferred, form } = shown;
    const own = deferred.filter((tool) => tools.includes(tool)).map(({ name }) => name);
    const finder = deferred.length > 0 ? findToolsTool(deferred, options, own) : null;
    const always = [
      ...shown.first.map(form),
      ...(finder ? [toModelTool(finder)] : []),
      ...(asksUser ? [ASK_USER_TOOL] : []),
    ];
    this.showing = { ...shown, finder, always };
    return this.showing;
  }

  /** What is told of a name that is none of these. */
  async missing(name: string): Promise<string> {
    const shown = cutLine(name, 100);
    const why = await this.options.whyMissing?.(name);
    if (why) return `The tool "${shown}" cannot be called now: ${why}`;
    const similar = this.similarTo(name);
    const hint = similar.length > 0 ? ` Tools like it: ${similar.join(', ')}.` : '';
    return `There is no tool "${shown}".${hint}`;
  }

  /** Names that are like a wrong one, for the model to choose from. */
  private similarTo(name: string): string[] {
    this.index ??= new ToolIndex([...this.byName.values()]);
    const scores = this.index.scores(name);
    return this.index.tools
      .map((tool, at) => ({ name: tool.name, score: scores[at]! }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, 5)
      .map((tool) => tool.name);
  }
}

/** What the model has loaded, in that order: nothing changes its place, and the oldest go where they are too many. */
export function addLoaded(loaded: readonly string[], names: readonly string[]): string[] {
  return [...loaded, ...names.filter((name) => !loaded.includes(name))].slice(-MAX_LOADED);
}

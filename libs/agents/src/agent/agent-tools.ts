import type { ModelTool } from '@app/integrations';
import { ToolIndex } from '../tool-search/tool-index.js';
import { cutLine } from './bounded-text.js';
import { FIND_TOOLS, findToolsTool, type FinderOptions } from './find-tools-tool.js';
import { estimateToolTokens } from './tokens.js';
import type { AgentTool } from './tool.js';

/** What the definitions of connected tools may take of each prompt; with more, they come on demand. */
const SHOWN_TOKENS = 8_000;
/** Loaded ones beyond this go again, the oldest first. */
const MAX_LOADED = 30;
const SHOWN_DESCRIPTION = 1_000;
const MAX_SCHEMA_CHARACTERS = 12_000;

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
  /** What the definitions of connected tools may take of each prompt. */
  shownTokens?: number;
  /** Why a tool is not among these that there is otherwise, for a model that knows it from before; null: there is none. */
  whyMissing?(name: string): Promise<string | null>;
}

/** The tools of one turn: all of them can be called, not all are shown at once. */
export class AgentTools {
  private readonly byName: ReadonlyMap<string, AgentTool>;
  private readonly first: readonly AgentTool[];
  private readonly deferred: readonly AgentTool[];
  private index: ToolIndex<AgentTool> | null = null;

  /**
   * @param tools those of the product; always shown
   * @param more those of tool servers; shown while their definitions are short
   */
  constructor(
    tools: readonly AgentTool[],
    more: readonly AgentTool[],
    private readonly options: AgentToolsOptions,
  ) {
    const all = [...tools, ...more];
    const { shownTokens = SHOWN_TOKENS } = options;
    const isSmall = estimateToolTokens(more.map(toModelTool)) <= shownTokens;
    this.first = isSmall ? all : tools;
    this.deferred = isSmall ? [] : more;
    const finder = this.deferred.length > 0 ? [findToolsTool(this.deferred, options)] : [];
    this.first = [...this.first, ...finder];
    this.byName = new Map([...all, ...finder].map((tool) => [tool.name, tool]));
  }

  /** Whether there is somebody who could reply to a question. */
  get asksUser(): boolean {
    return this.options.asksUser;
  }

  find(name: string): AgentTool | undefined {
    return this.byName.get(name);
  }

  /** Whether a call of it has to be followed by its schema. */
  isDeferred(name: string): boolean {
    return this.deferred.some((tool) => tool.name === name);
  }

  /** What the model is given for a step: what is loaded stands behind what was there, so that prompts keep their beginning. */
  shown(loaded: readonly string[]): ModelTool[] {
    const own = this.first.map(toModelTool);
    const more = loaded.flatMap((name) => this.deferred.find((tool) => tool.name === name) ?? []).map(toModelTool);
    return [...own, ...(this.options.asksUser ? [ASK_USER_TOOL] : []), ...more];
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
    this.index ??= new ToolIndex([...this.byName.values()].filter((tool) => tool.name !== FIND_TOOLS));
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

const shownTools = new WeakMap<AgentTool, ModelTool>();

function toModelTool(tool: AgentTool): ModelTool {
  const known = shownTools.get(tool);
  if (known) return known;
  const { name, description } = tool;
  const shown = {
    name,
    description: cutLine(description, SHOWN_DESCRIPTION),
    inputSchema: boundedSchema(tool.inputSchema),
  };
  shownTools.set(tool, shown);
  return shown;
}

/** A schema that would fill the context is shown without its depths: the tool itself checks the arguments. */
function boundedSchema(schema: Record<string, unknown>): Record<string, unknown> {
  if (JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS) return schema;
  const { properties = {}, required } = schema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const shallow = Object.entries(properties)
    .slice(0, 100)
    .map(([name, { type, description }]) => [
      name,
      {
        ...(type !== undefined && { type }),
        ...(typeof description === 'string' && { description: cutLine(description, 100) }),
      },
    ]);
  return { type: 'object', properties: Object.fromEntries(shallow) as unknown, ...(required && { required }) };
}

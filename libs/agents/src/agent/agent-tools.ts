import { analyse } from '@app/retrieval';
import type { ModelTool } from '@app/integrations';
import { cutLine } from './bounded-text.js';
import type { AgentTool } from './tool.js';

/** With more tools than this, the schemas of those from tool servers come on demand. */
const MAX_SHOWN = 40;
/** Loaded ones beyond this go again, the oldest first. */
const MAX_LOADED = 30;
const FOUND = 8;
const LISTED_DESCRIPTION = 300;
const SHOWN_DESCRIPTION = 1_000;
const MAX_SCHEMA_CHARACTERS = 12_000;

export const FIND_TOOLS = 'find_tools';
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

/** The tools of one turn: all of them can be called, not all are shown at once. */
export class AgentTools {
  private readonly byName: ReadonlyMap<string, AgentTool>;
  private readonly first: readonly AgentTool[];
  private readonly deferred: readonly AgentTool[];

  /**
   * @param tools those of the product; always shown
   * @param more those of tool servers; shown while there are few of all
   */
  constructor(
    tools: readonly AgentTool[],
    more: readonly AgentTool[],
    private readonly options: { asksUser: boolean },
  ) {
    const all = [...tools, ...more];
    const isSmall = all.length <= MAX_SHOWN;
    this.first = isSmall ? all : tools;
    this.deferred = isSmall ? [] : more;
    const finder = this.deferred.length > 0 ? [toFinder(this.deferred)] : [];
    this.first = [...this.first, ...finder];
    this.byName = new Map([...all, ...finder].map((tool) => [tool.name, tool]));
  }

  find(name: string): AgentTool | undefined {
    return this.byName.get(name);
  }

  /** Whether a call of it has to be followed by its schema. */
  isDeferred(name: string): boolean {
    return this.deferred.some((tool) => tool.name === name);
  }

  /** What the model is given for a step: loaded ones come last, so that what caches have of the prompt stays true. */
  shown(loaded: readonly string[]): ModelTool[] {
    const more = loaded.flatMap((name) => this.deferred.find((tool) => tool.name === name) ?? []);
    return [
      ...this.first.map(toModelTool),
      ...(this.options.asksUser ? [ASK_USER_TOOL] : []),
      ...more.map(toModelTool),
    ];
  }

  /** Names that are like a wrong one, for the model to choose from. */
  similarTo(name: string): string[] {
    return rank([...this.byName.values()], name.replaceAll(/[_-]+/g, ' '))
      .slice(0, 5)
      .map((tool) => tool.name);
  }
}

/** The newest ones of what the model has loaded, each where it was first. */
export function addLoaded(loaded: readonly string[], names: readonly string[]): string[] {
  return [...new Set([...loaded, ...names])].slice(-MAX_LOADED);
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

function toFinder(deferred: readonly AgentTool[]): AgentTool {
  return {
    name: FIND_TOOLS,
    title: 'Find tools',
    description: `Finds tools of the user's connected tool servers, ${deferred.length} in all, by what they do. What it finds can be called from the next step on.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What the tool should do, in a few words; or its name.' } },
      required: ['query'],
    },
    effectsOf: () => 'none',
    approvalFor: () => null,
    run: ({ query }) => {
      const found = rank(deferred, String(query)).slice(0, FOUND);
      const output = found.map(({ name, title, description }) => ({
        name,
        title,
        description: cutLine(description, LISTED_DESCRIPTION),
      }));
      return Promise.resolve({ output: { tools: output }, loads: found.map(({ name }) => name) });
    },
  };
}

/** Those that share words with the query, most first; a word of the name counts for three, a rare one for more. */
function rank(tools: readonly AgentTool[], query: string): AgentTool[] {
  const wanted = new Set(analyse(query));
  const entries = tools.map((tool) => {
    const name = new Set(analyse(`${tool.name.replaceAll(/[_-]+/g, ' ')} ${tool.title}`));
    return { tool, name, rest: new Set(analyse(tool.description)) };
  });
  const weights = [...wanted].map((word) => {
    const having = entries.filter(({ name, rest }) => name.has(word) || rest.has(word)).length;
    return { word, weight: Math.log(1 + tools.length / (having + 0.5)) };
  });
  return entries
    .map(({ tool, name, rest }) => {
      const score = weights.reduce(
        (sum, { word, weight }) => sum + weight * (name.has(word) ? 3 : rest.has(word) ? 1 : 0),
        tool.name.toLowerCase() === query.trim().toLowerCase() ? 1_000 : 0,
      );
      return { tool, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

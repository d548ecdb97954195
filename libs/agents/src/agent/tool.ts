import type { ResultPicture } from './result-pictures.js';
import type { UserWords } from './user-words.js';

/** `none`: may run again at will. `idempotent`: may run again with the same key. `external`: never again by itself. */
export type ToolEffects = 'none' | 'idempotent' | 'external';

/** What a person has to agree to before a call. */
export interface ApprovalNeed {
  /** What a remembered consent covers: the tool and where its effect lands, never the tool alone. */
  key: string;
  /** What would happen, in one line for people. */
  summary: string;
}

/** A tool server, a host, a mail's recipients: somebody outside, or what strangers have written. */
export interface Party {
  /** `server:7`, `web:https://host`; never shown. */
  key: string;
  /** As people call it. */
  label: string;
}

export interface MissingArgument {
  name: string;
  label: string;
  type: string;
}

/** Something that an answer can cite, before it has a number. */
export interface FoundSource {
  uid: string;
  filename: string;
  /** 1-based; null for formats without pages. */
  page: number | null;
  text: string;
  /** Media path; null when it is not known. */
  path: string | null;
}

/** As clients get it: `[n]` in the answer means `citation` n. */
export interface AgentSource extends FoundSource {
  citation: number;
}

export interface ToolAnswer {
  /** Plain JSON; the model reads it cut to size, and marked as data. */
  output: unknown;
  isError?: boolean;
  /** There is more than the output has; so says an output with `truncated`, too. */
  isCut?: boolean;
  /** Media paths that it wrote. */
  files?: readonly string[];
  /** Those of them that a model which sees is shown. */
  pictures?: readonly ResultPicture[];
  /** Of a chart. */
  mgid?: string;
  /** Of an artifact. */
  dashboardId?: string;
  /** What it used of language models itself. */
  usage?: { tokens: number; cost: number };
  /** Whose words it holds, beside those that the call names beforehand. */
  heard?: readonly Party[];
  /** Schemas that the model gets from the next step on. */
  loads?: readonly string[];
}

export interface ToolCallContext {
  /** Turn, step and place in the step: the same for a repetition of the call. */
  idempotencyKey: string;
  /** Aborts on stop, and when the time of the turn is nearly up. */
  signal: AbortSignal;
  /** Numbers a source; one that is known keeps its number. */
  cite(source: FoundSource): number;
}

/** A tool as the agent sees it. Whoever implements it checks the rights of the user, at every call. */
export interface AgentTool {
  /** `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  readonly description: string;
  /** The connected server that it belongs to, as people call it. */
  readonly server?: string;
  /** A JSON Schema of type object. */
  readonly inputSchema: Record<string, unknown>;
  /** What a call with these arguments can do. */
  effectsOf(input: Record<string, unknown>): ToolEffects;
  /** Null when nobody has to agree. */
  approvalFor(input: Record<string, unknown>, words: UserWords): ApprovalNeed | null | Promise<ApprovalNeed | null>;
  /** The arguments that a call really sends, where the tool leaves some out: what a person who is asked sees. */
  sentArguments?(input: Record<string, unknown>): Record<string, unknown>;
  /** Whose words the result holds; absent or null: nobody's but the platform's. */
  sourceOf?(input: Record<string, unknown>): Party | null;
  /** Who gets the arguments, or what they bring about; absent or null: nobody but the viewer. */
  targetOf?(input: Record<string, unknown>): Party | null;
  /** @throws ToolCallError */
  run(input: Record<string, unknown>, context: ToolCallContext): Promise<ToolAnswer>;
}

/** A call failed, for a reason that model and user may read. */
export class ToolCallError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Arguments that the model could write better. */
    readonly isMistake = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ToolCallError';
  }
}

/** Required arguments that a call lacks. An empty text counts as missing. */
export function missingArguments(tool: AgentTool, input: Record<string, unknown>): MissingArgument[] {
  const { required = [], properties = {} } = tool.inputSchema as {
    required?: string[];
    properties?: Record<string, { title?: string; type?: string | string[] }>;
  };
  return required
    .filter((name) => input[name] === undefined || input[name] === null || input[name] === '')
    .map((name) => ({
      name,
      label: properties[name]?.title ?? name,
      // Of several the first, which is what is meant where the other is null.
      type: [properties[name]?.type ?? 'string'].flat()[0]!,
    }));
}

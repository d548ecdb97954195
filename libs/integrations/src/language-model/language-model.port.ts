import type { ModelCapability } from '@app/config';

export interface ModelDescriptor {
  /** As GET /users/models/ has it. */
  id: number;
  /** As people read it. */
  name: string;
  /** As the endpoint knows it. */
  value: string;
  provider: string;
  capability: ModelCapability;
  /** Whether prompts stay on the deployment's own machines. */
  onPremises: boolean;
  /** Tokens of prompt and answer together; null where nobody said. */
  contextWindow: number | null;
  /** Tokens; null where nobody said. */
  maxOutputTokens: number | null;
  supports: {
    tools: boolean;
    structuredOutput: boolean;
    images: boolean;
    reasoning: boolean;
    /** PDF files among the images of a message; absent: no. */
    documents?: boolean;
  };
}

/**
 * What a provider wants back as it gave it: thought signatures, signed thinking, reasoning contents, ids of items. Kept
 * with its message or call, read by the adapter that made it alone, and sent to no other model than its own.
 */
export interface ProviderData {
  /** The mark of the endpoint and the model that made it. */
  madeBy: string;
  /** JSON, as the adapter keeps it. */
  data: Record<string, unknown>;
}

/** A tool that the model asks to have called. */
export interface ToolCall {
  /** Unique in the conversation; the result names it. */
  id: string;
  name: string;
  /** Arguments as the model wrote them; `{}` with a `problem`. */
  input: Record<string, unknown>;
  /** Why it cannot be carried out as written (for the model to read): arguments that are no JSON object, `NO_SUCH_TOOL`, `NO_NAME`. */
  problem?: string;
  providerData?: ProviderData;
}

/** The problem of a call whose name was not offered; its arguments are as the model wrote them. */
export const NO_SUCH_TOOL = 'There is no tool of this name.';

/** The problem of a call that names no tool; its name is one of ours. */
export const NO_NAME = 'The call names no tool.';

export interface ToolOutcome {
  callId: string;
  name: string;
  /** As the model reads it. */
  output: string;
  isError: boolean;
}

export interface ModelImage {
  /** `image/…`, or `application/pdf` where the model's `supports.documents` says so. */
  mediaType: string;
  data: Uint8Array;
}

export type ModelMessage =
  | { role: 'user'; content: string; images?: readonly ModelImage[] }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[]; providerData?: ProviderData }
  | { role: 'tool'; outcomes: readonly ToolOutcome[] };

export interface ModelTool {
  /** `[a-zA-Z0-9_-]{1,64}`. */
  name: string;
  description: string;
  /** A JSON Schema of type object. */
  inputSchema: Record<string, unknown>;
}

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  /** Of the prompt, read from the endpoint's cache. */
  cachedTokens?: number;
  /** Of the prompt, written to the endpoint's cache; none of them is among `cachedTokens`. */
  cacheWriteTokens?: number;
  /** In the currency of the deployment; null or absent where the model has no price. */
  cost?: number | null;
  /** Reckoned from the length of the texts, because the endpoint does not count. */
  isEstimate?: boolean;
}

/** On whose account a call is, for the metering. */
export interface UsageContext {
  userId: number;
  /** What it was for: `chat`, `agent`, `workflow`, `summary`, `title`, `memory` and the like. */
  purpose: string;
  turnId?: string;
  workflowId?: string;
  runId?: string;
}

export interface ModelRequest {
  system?: string;
  messages: readonly ModelMessage[];
  /** 0 to 2; the endpoint's own default when absent. */
  temperature?: number;
  maxOutputTokens?: number;
  reasoningEffort?: 'low' | 'medium' | 'high';
  signal?: AbortSignal;
  /** Absent: the call is metered without a user. */
  usage?: UsageContext;
}

export interface StepRequest extends ModelRequest {
  tools: readonly ModelTool[];
  toolChoice?: 'auto' | 'required' | 'none';
}

/** Pieces of the answer in order. Read it once, to the end or until you stop; stopping stops the call. */
export interface AnswerStream extends AsyncIterable<string> {
  /** Null until the stream ended, and when the endpoint does not count. */
  usage(): TokenUsage | null;
  /** Who answers, as `ModelDescriptor.value`: another model than was asked where that one could not. Null until it began. */
  answeredBy?(): string | null;
  /** Why it ended. Null until it did, and where nobody knows. */
  reason?(): StepEnd['reason'] | null;
}

export interface GeneratedAnswer extends TokenUsage {
  text: string;
  /** Present when `outputSchema` was given: JSON that the model was told to shape so. Check it. */
  object?: unknown;
  /** What of the schema `object` breaks, in words: the model was told, and answered so again. Absent where it fits. */
  misfit?: string;
  /** Why it ended, as of a step. */
  reason?: StepEnd['reason'];
  model: string;
}

export type StepPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** Whole: comes when all of its arguments are there. */
  | { type: 'tool_call'; call: ToolCall };

export interface StepEnd {
  reason: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';
  /** Null when the endpoint does not count. */
  usage: TokenUsage | null;
  /** Who answered, as `ModelDescriptor.value`. */
  model: string;
  /** Of the step as a whole, to be kept with its assistant message; that of calls is theirs. */
  providerData?: ProviderData;
}

/** One step of a model that may ask for tools: read like an `AnswerStream`. */
export interface StepStream extends AsyncIterable<StepPart> {
  /** Null until the stream ended. */
  end(): StepEnd | null;
}

/**
 * Whoever writes text. All calls throw: `UnavailableError` (`model_not_configured`) when `available` is false,
 * `BadGatewayError` (`model_error`, or a more telling code of `toModelError`) when the endpoint refuses or breaks off, `GatewayTimeoutError` (`model_timeout`),
 * `InvalidRequestError` (`context_too_long`; `model_lacks_tools`, `model_lacks_images`), and the reason of `signal` when
 * that aborts. A stream throws while it is read.
 */
export abstract class LanguageModel {
  /** False: no endpoint is configured, answers are made by quoting (docs/contract/search.md#without-a-model). */
  abstract readonly available: boolean;
  /** The configured model, or the embedded quoting one. */
  abstract readonly descriptor: ModelDescriptor;

  /**
   * How many tokens, prompt and answer together, the endpoint turned out to take of a person's; Infinity where it did not
   * refuse any for its length.
   */
  takes(_userId?: number): number {
    return Infinity;
  }

  abstract streamAnswer(request: ModelRequest): AnswerStream;

  /** The whole answer at once. `outputSchema` is a JSON Schema that the answer has to satisfy. */
  abstract generate(request: ModelRequest & { outputSchema?: Record<string, unknown> }): Promise<GeneratedAnswer>;

  /** One step with tools. No tool is called here: that is up to the reader. */
  abstract streamStep(request: StepRequest): StepStream;
}

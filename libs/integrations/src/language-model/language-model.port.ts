export interface ModelDescriptor {
  /** As people read it. */
  name: string;
  /** As the endpoint knows it. */
  value: string;
  provider: string;
  capability: 'chat';
  /** Whether prompts stay on the deployment's own machines. */
  onPremises: boolean;
}

export interface ModelMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export interface ModelRequest {
  system?: string;
  messages: ModelMessage[];
  /** 0 to 2; the endpoint's own default when absent. */
  temperature?: number;
  maxOutputTokens?: number;
  signal?: AbortSignal;
}

/** Pieces of the answer in order. Read it once, to the end or until you stop; stopping stops the call. */
export interface AnswerStream extends AsyncIterable<string> {
  /** Null until the stream ended, and when the endpoint does not count. */
  usage(): TokenUsage | null;
}

export interface GeneratedAnswer extends TokenUsage {
  text: string;
  /** Present when `outputSchema` was given; satisfies it. */
  object?: unknown;
  model: string;
}

/**
 * Whoever writes text. All calls throw: `UnavailableError` (`model_not_configured`) when `available` is false,
 * `BadGatewayError` (`model_error`) when the endpoint refuses or breaks off, `GatewayTimeoutError` (`model_timeout`),
 * and the reason of `signal` when that aborts. A stream throws while it is read.
 */
export abstract class LanguageModel {
  /** False: no endpoint is configured, answers are made by quoting (document 3, B14). */
  abstract readonly available: boolean;
  /** The configured model, or the embedded quoting one. */
  abstract readonly descriptor: ModelDescriptor;

  abstract streamAnswer(request: ModelRequest): AnswerStream;

  /** The whole answer at once. `outputSchema` is a JSON Schema that the answer has to satisfy. */
  abstract generate(request: ModelRequest & { outputSchema?: Record<string, unknown> }): Promise<GeneratedAnswer>;
}

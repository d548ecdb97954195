import type { ModelRequest, ModelTool, StepEnd, ToolCall, UsageContext } from '@app/integrations';

export type UsageOutcome = 'completed' | 'failed' | 'aborted' | 'timeout';

/** Which try of which call. */
export interface Attempt {
  /** The same for all tries of one call. */
  callId: string;
  /** From 1. */
  attempt: number;
  /** Who was to answer, as its endpoint knows it; another one than `model` where that one stands in. */
  asked: string;
}

/** What came of a try, as far as it came. */
export interface ObservedAnswer {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  reason: StepEnd['reason'] | null;
}

/** One try of a call with what was sent and what came back. What it took of tokens and money stands in the ledger alone. */
export interface ObservedCall extends Attempt {
  /** Of its row in the ledger. */
  id: string;
  model: string;
  context: UsageContext;
  request: ModelRequest & { tools?: readonly ModelTool[] };
  answer: ObservedAnswer;
  beganAt: Date;
  /** Null: nothing came. */
  firstTokenMs: number | null;
  durationMs: number;
  outcome: UsageOutcome;
}

/** Is told of each try as it is written down. It must not throw, and must be quick: an answer waits for it. */
export type CallObserver = (call: ObservedCall) => void;

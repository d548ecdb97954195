import type { TokenUsage, UsageContext } from '@app/integrations';

/** What one try of a call can take at most. */
export interface CallNeed {
  promptTokens: number;
  /** Tokens that the answer may have, as long as nobody minds. */
  outputTokens: number;
  /** With fewer the call is not worth making. */
  leastOutputTokens: number;
  /** In the currency of the deployment; null: nobody knows. */
  price: CallPrice | null;
  /** After which it has surely ended. */
  seconds: number;
}

export interface CallPrice {
  perPromptToken: number;
  perOutputToken: number;
  /** Whatever its length. */
  fixed: number;
}

/** What was set aside for a try. */
export interface HeldCall {
  /** How long the answer may be, so that it stays within what was set aside; null: no cap depends on it. */
  maxOutputTokens: number | null;
  /** Once, when the try is over, with what it took. Does not wait, and does not throw. */
  settle(usage: TokenUsage): void;
}

/** Whoever has to agree before a model is asked on behalf of a turn. */
export abstract class CallBudget {
  /**
   * Sets aside what the try can take at most.
   * @returns null: nobody counts calls of this turn
   * @throws ConflictError `budget_exceeded`, after which nothing more is asked on behalf of the turn; the reason of the signal
   */
  abstract hold(
    context: UsageContext & { turnId: string },
    need: CallNeed,
    signal: AbortSignal | undefined,
  ): Promise<HeldCall | null>;
}

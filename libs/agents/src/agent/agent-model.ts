import type { LanguageModel, UsageContext } from '@app/integrations';

/** A model with what a loop has to know of it. */
export interface AgentModel {
  readonly model: LanguageModel;
  /** How much it reads and writes in one call. */
  readonly contextTokens: number;
  /** How much it may write in one call; null: the endpoint decides. */
  readonly maxOutputTokens: number | null;
  readonly readsImages: boolean;
  readonly usage: UsageContext;
}

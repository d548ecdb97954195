import type { LanguageModel, TokenUsage, UsageContext } from '@app/integrations';
import type { AuthoringEvent, AuthoringStage } from '@app/workflows';

/** One turn as whoever writes sees it. */
export interface Authoring {
  emit(event: AuthoringEvent): Promise<void>;
  signal: AbortSignal;
  /** Adds up. */
  usage: TokenUsage;
  model: LanguageModel;
  account: UsageContext;
}

export function progress({ emit }: Authoring, stage: AuthoringStage, text: string, percent?: number): Promise<void> {
  return emit({ event: 'progress', data: { stage, text, ...(percent !== undefined && { percent }) } });
}

export function count(usage: TokenUsage, more: TokenUsage | null): void {
  usage.promptTokens += more?.promptTokens ?? 0;
  usage.completionTokens += more?.completionTokens ?? 0;
  if (typeof more?.cost === 'number') usage.cost = (usage.cost ?? 0) + more.cost;
}

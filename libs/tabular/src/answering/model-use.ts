import type { TokenUsage } from '@app/integrations';

/** What several calls of models used together. */
export class ModelUse {
  private readonly calls: TokenUsage[] = [];

  add(usage: TokenUsage): void {
    this.calls.push(usage);
  }

  /** @param more of a call that comes on top @returns null when there was no call; the cost is a floor where one has no price */
  sum(more: TokenUsage | null = null): TokenUsage | null {
    const calls = more ? [...this.calls, more] : this.calls;
    if (calls.length === 0) return null;
    const known = calls.flatMap(({ cost }) => (cost === null || cost === undefined ? [] : [cost]));
    return {
      promptTokens: calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      completionTokens: calls.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
      cost: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    };
  }
}

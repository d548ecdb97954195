import type { TokenUsage, UsageContext } from '@app/integrations';
import type { NodeUsage, Viewer } from '@app/workflow-definition';

/** On whose account a tool asks a model. */
export function toUsageContext({ userId, workflowId, runId, turnId }: Viewer): UsageContext {
  return {
    userId,
    purpose: turnId === undefined ? 'workflow' : 'agent',
    ...(workflowId !== undefined && { workflowId }),
    ...(runId !== undefined && { runId }),
    ...(turnId !== undefined && { turnId }),
  };
}

/** As a run counts it. @param used null where no model was asked */
export function toNodeUsage(used: TokenUsage | null): { usage?: NodeUsage } {
  if (!used) return {};
  const { promptTokens, completionTokens, cost } = used;
  return { usage: { tokens: promptTokens + completionTokens, spend: cost ?? 0 } };
}

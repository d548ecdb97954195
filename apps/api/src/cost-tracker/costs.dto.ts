import type { ModelUse, UsageReport, UsageSum } from '@app/models';
import type { WorkflowCost } from '@app/workflows';
import { IntegerField, ListField, NestedField, NumberField, StringField, UuidField } from '../http/fields.js';

export class CostsQuery {
  @IntegerField({ min: 1, max: 90, default: 30, description: 'Days up to today.' })
  days: number;
}

export const REQUESTS =
  'Requests to endpoints of models: an answer may take several, and each try that failed is one, too.';

export class CostSums {
  @NumberField()
  spend: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  prompt_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  completion_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  total_tokens: number;

  @IntegerField({ description: REQUESTS })
  requests: number;
}

export class DayCosts extends CostSums {
  @StringField({ description: '`YYYY-MM-DD`, in UTC.' })
  date: string;
}

export class ModelCosts {
  @StringField()
  model: string;

  @NumberField()
  spend: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  total_tokens: number;

  @IntegerField({ description: REQUESTS })
  requests: number;
}

export class WorkflowCosts {
  @UuidField()
  workflow_id: string;

  @StringField({ description: 'Empty once it is gone.' })
  name: string;

  @IntegerField({
    description: "Of the period; of somebody else's workflow, of the runs that used a model for this user.",
  })
  successful_runs: number;

  @NumberField()
  spend: number;
}

export class CostsResponse {
  @StringField()
  username: string;

  @StringField()
  currency: string;

  @StringField({ description: '`YYYY-MM-DD`, in UTC; the day counts.' })
  start_date: string;

  @StringField({ description: '`YYYY-MM-DD`, in UTC; the day counts.' })
  end_date: string;

  @NestedField(() => CostSums)
  totals: CostSums;

  @ListField(() => DayCosts)
  daily: DayCosts[];

  @ListField(() => ModelCosts)
  by_model: ModelCosts[];

  @ListField(() => WorkflowCosts, { maxItems: 100_000 })
  by_workflow: WorkflowCosts[];

  @IntegerField({ description: 'More than 0: the spend is a floor.' })
  unpriced_requests: number;
}

export function toCostsResponse(
  username: string,
  { currency, period, totals, daily }: UsageReport,
  { byModel, byWorkflow }: { byModel: readonly ModelUse[]; byWorkflow: readonly WorkflowCost[] },
): CostsResponse {
  return {
    username,
    currency,
    start_date: period.from,
    end_date: period.to,
    totals: toSums(totals),
    daily: daily.map((day) => ({ date: day.date, ...toSums(day) })),
    by_model: ofModels(byModel, currency),
    by_workflow: byWorkflow.map(toWorkflowCosts),
    unpriced_requests: totals.unpriced,
  };
}

export function toWorkflowCosts({ workflowId, name, successfulRuns, spend }: WorkflowCost): WorkflowCosts {
  return { workflow_id: workflowId, name, successful_runs: successfulRuns, spend: toMoney(spend) };
}

/** Whatever its prices; money in other currencies does not count. */
function ofModels(uses: readonly ModelUse[], own: string): ModelCosts[] {
  const models = new Map<string, ModelCosts>();
  for (const { model, currency, spend, totalTokens, requests } of uses) {
    const sum = models.get(model) ?? { model, spend: 0, total_tokens: 0, requests: 0 };
    models.set(model, {
      model,
      spend: sum.spend + (currency === own ? (spend ?? 0) : 0),
      total_tokens: sum.total_tokens + totalTokens,
      requests: sum.requests + requests,
    });
  }
  return [...models.values()]
    .map((one) => ({ ...one, spend: toMoney(one.spend) }))
    .toSorted((a, b) => b.spend - a.spend || (a.model < b.model ? -1 : 1));
}

function toSums({ spend, promptTokens, completionTokens, totalTokens, requests }: UsageSum): CostSums {
  return {
    spend: toMoney(spend),
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
    requests,
  };
}

/** Without the dust of binary fractions. */
export function toMoney(amount: number): number {
  return Math.round(amount * 1e8) / 1e8;
}

import type { UsageReport, UsageSum } from '@app/models';
import type { WorkflowCost } from '@app/workflows';
import { IntegerField, ListField, NestedField, NumberField, StringField, UuidField } from '../http/fields.js';

export class CostsQuery {
  @IntegerField({ min: 1, max: 90, default: 30, description: 'Days up to today.' })
  days: number;
}

export class CostSums {
  @NumberField()
  spend: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  prompt_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  completion_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  total_tokens: number;

  @IntegerField()
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

  @IntegerField()
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
  report: UsageReport,
  byWorkflow: readonly WorkflowCost[],
): CostsResponse {
  return {
    username,
    currency: report.currency,
    start_date: report.startDate,
    end_date: report.endDate,
    totals: toSums(report.totals),
    daily: report.daily.map((day) => ({ date: day.date, ...toSums(day) })),
    by_model: report.byModel.map(({ model, spend, totalTokens, requests }) => ({
      model,
      spend: toMoney(spend),
      total_tokens: totalTokens,
      requests,
    })),
    by_workflow: byWorkflow.map(({ workflowId, name, successfulRuns, spend }) => ({
      workflow_id: workflowId,
      name,
      successful_runs: successfulRuns,
      spend: toMoney(spend),
    })),
    unpriced_requests: report.unpricedRequests,
  };
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
function toMoney(amount: number): number {
  return Math.round(amount * 1e8) / 1e8;
}

import type { AppConfig } from '@app/config';
import type { BudgetDefaults } from './caps.js';

/** As the settings have it. */
export function budgetDefaultsOf({ agentBudget, models }: AppConfig): BudgetDefaults {
  const { runCostCents, jobCostCents, dayCostCents, monthCostCents, softPercent } = agentBudget;
  const { runTokens, jobTokens, dayTokens, monthTokens } = agentBudget;
  return {
    costs: { run: runCostCents / 100, job: jobCostCents / 100, day: dayCostCents / 100, month: monthCostCents / 100 },
    tokens: { run: runTokens, job: jobTokens, day: dayTokens, month: monthTokens },
    softPercent,
    currency: models.currency,
  };
}

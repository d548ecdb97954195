import { InvalidRequestError } from '@app/common';
import {
  type AgentBudgetView,
  BUDGET_SCOPES,
  type BudgetScope,
  type Caps,
  type StoredCaps,
} from '@app/dedicated-agent';

const NAMES: Readonly<Record<string, keyof Caps>> = {
  soft_cost: 'softCost',
  hard_cost: 'hardCost',
  soft_tokens: 'softTokens',
  hard_tokens: 'hardTokens',
};
const FORM = /^(run|job|day|month)\.(soft_cost|hard_cost|soft_tokens|hard_tokens)=(default|\d{1,13}(?:\.\d{1,6})?)$/;

/** `month.hard_cost=50`; 0 is no cap, `default` what the settings say. @throws InvalidRequestError */
export function readCaps(given: readonly string[]): StoredCaps {
  const caps: StoredCaps = {};
  for (const one of given) {
    const [, scope, name, value] = FORM.exec(one) ?? [];
    if (scope === undefined || name === undefined)
      throw new InvalidRequestError(
        `--set takes <scope>.<cap>=<number>: a scope of ${BUDGET_SCOPES.join(', ')}, a cap of ${Object.keys(NAMES).join(', ')}; 0 is no cap, "default" what the settings say. Not "${one}".`,
      );
    const cap = { [NAMES[name]!]: value === 'default' ? null : Number(value) };
    caps[scope as BudgetScope] = { ...caps[scope as BudgetScope], ...cap };
  }
  return caps;
}

/** A row for each scope. */
export function budgetRows({ currency, scopes, unpricedCalls }: AgentBudgetView): object[] {
  return BUDGET_SCOPES.map((scope) => {
    const { limits, effective, spent, isExhausted, resetsAt } = scopes[scope];
    return {
      scope,
      hard_cost: effective.hardCost,
      soft_cost: effective.softCost,
      hard_tokens: effective.hardTokens,
      soft_tokens: effective.softTokens,
      operator_cost: limits.hardCost,
      operator_tokens: limits.hardTokens,
      spent_cost: spent?.cost ?? null,
      spent_tokens: spent?.tokens ?? null,
      currency,
      exhausted: isExhausted,
      unpriced_calls: scope === 'month' ? unpricedCalls : null,
      resets_at: resetsAt,
    };
  });
}

import type { ModelRequest } from '@app/integrations';
import type { CallBudget, CallNeed, HeldCall } from './call-budget.js';

/** Where the budget of this process stands, should it have one: it is asked before each try of a call for a turn. */
export class CallBudgets {
  private budget: CallBudget | null = null;

  use(budget: CallBudget): void {
    this.budget = budget;
  }

  /** @returns null: nobody counts it. @throws as `CallBudget.hold` */
  async hold({ usage, signal }: ModelRequest, need: () => CallNeed): Promise<HeldCall | null> {
    if (!this.budget || usage?.turnId === undefined) return null;
    return this.budget.hold({ ...usage, turnId: usage.turnId }, need(), signal);
  }
}

/** Of a try that was never made. */
export const NOTHING_USED = { promptTokens: 0, completionTokens: 0, cost: 0 };

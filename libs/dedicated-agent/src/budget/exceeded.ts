import { ConflictError } from '@app/common';
import type { BudgetScope, Caps } from './caps.js';
import { resetOf } from './periods.js';
import type { Amount } from './room.js';

const NAMES: Readonly<Record<BudgetScope, string>> = {
  run: 'this run',
  job: 'this job in this month',
  day: 'this day',
  month: 'this month',
};

/**
 * ConflictError `budget_exceeded`, which says which cap it is and when it is counted anew.
 * @param of.next what the call takes at least that does not fit; absent: nothing is begun any more
 */
export function budgetExceeded(
  line: { key: string; scope: BudgetScope; caps: Caps; spent: Amount },
  of: { day: string; currency: string; isMoney: boolean; next?: Amount },
): ConflictError {
  const { scope, caps, spent } = line;
  const resetsAt = resetOf(scope, of.day);
  const used = of.isMoney
    ? `${money(spent.cost)} of ${money(caps.hardCost ?? 0)} ${of.currency}`
    : `${spent.tokens} of ${caps.hardTokens ?? 0} tokens`;
  const next = of.isMoney ? of.next && `${money(of.next.cost)} ${of.currency}` : of.next?.tokens;
  const call = next === undefined ? '' : `, and the next call may take ${next}`;
  const anew = resetsAt === null ? '' : ` It is counted anew from ${resetsAt}.`;
  const detail = `The budget of ${NAMES[scope]} does not reach any further: ${used} are used${call}.${anew}`;
  return new ConflictError(detail, { code: 'budget_exceeded', extra: { scope, resets_at: resetsAt } });
}

/** To a hundredth, or as far as there is something to see. */
const money = (value: number): string => (value === 0 || value >= 0.01 ? value.toFixed(2) : value.toPrecision(2));

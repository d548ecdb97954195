import type { ProcessorSubscription } from '@app/integrations';
import { isLive, type Plan, poolOf, type SubscriptionRow, type WrittenState } from '@app/entitlements';

/**
 * What was read of the processor: its subscription, or of an order that has none yet, whether its pay page is open.
 * `unknown`: an operator, or an erasure, says that nobody can be asked about it any more.
 */
export type Read =
  | 'unknown'
  | { readonly subscription: ProcessorSubscription }
  | { readonly checkout: 'open' | 'expired'; readonly customerId: string | null };

export interface Circumstances {
  /** Whether another subscription of the same pool is live. */
  poolFilled: boolean;
  /** What is sold under a code; null for what the file does not have. */
  findPlan: (code: string) => Plan | null;
  nowMs: number;
  /** What had to be given back was given back. */
  isGivenBack: boolean;
}

/**
 * What the row says after a reading. It goes by the newest reading alone, but for what is over: an ended subscription never
 * comes back, and one that had to be given back never fills a pool.
 */
export function nextState(row: SubscriptionRow, read: Read, circumstances: Circumstances): WrittenState {
  const { nowMs, isGivenBack } = circumstances;
  const same: WrittenState = {
    status: row.status,
    plan: row.plan,
    billingPeriod: row.billingPeriod,
    seats: row.seats,
    processorCustomerId: row.processorCustomerId,
    processorSubscriptionId: row.processorSubscriptionId,
    trialEnd: row.trialEnd,
    currentPeriodEnd: row.currentPeriodEnd,
    canceledAt: row.canceledAt,
    giveBack: row.giveBack,
  };
  if (read === 'unknown') return endedHere(same, nowMs);
  if (!('subscription' in read)) {
    const status = row.status === 'incomplete' && read.checkout === 'expired' ? 'incomplete_expired' : row.status;
    return { ...same, status, processorCustomerId: read.customerId ?? row.processorCustomerId };
  }
  const { subscription } = read;
  const named = { ...same, processorCustomerId: subscription.customerId, processorSubscriptionId: subscription.id };
  if (row.giveBack === 'due')
    return isGivenBack
      ? {
          ...named,
          giveBack: 'done',
          status: row.status === 'incomplete_expired' ? row.status : 'canceled',
          canceledAt: subscription.canceledAt ?? nowMs,
        }
      : named;
  if (row.status === 'canceled' || row.giveBack === 'done') return named;
  const begins = isLive(subscription.status) && !isLive(row.status);
  if (begins && (row.status === 'incomplete_expired' || poolOf(row) === null || circumstances.poolFilled))
    return { ...named, giveBack: 'due' };
  if (row.status === 'incomplete_expired') return named;
  const status = statusAfter(row, subscription.status);
  return {
    ...named,
    ...soldNow(row, subscription, circumstances),
    status,
    trialEnd: subscription.trialEnd,
    currentPeriodEnd: subscription.currentPeriodEnd,
    canceledAt: status === 'canceled' ? (subscription.canceledAt ?? nowMs) : null,
  };
}

function endedHere(row: WrittenState, nowMs: number): WrittenState {
  const giveBack = row.giveBack === 'due' ? 'none' : row.giveBack;
  if (row.status === 'canceled' || row.status === 'incomplete_expired') return { ...row, giveBack };
  if (row.status === 'incomplete') return { ...row, giveBack, status: 'incomplete_expired' };
  return { ...row, giveBack, status: 'canceled', canceledAt: nowMs };
}

/** What was once live does not wait for its first payment again. */
function statusAfter(row: SubscriptionRow, read: ProcessorSubscription['status']): SubscriptionRow['status'] {
  if (!isLive(row.status)) return read;
  if (read === 'incomplete') return row.status;
  return read === 'incomplete_expired' ? 'canceled' : read;
}

/** A plan stays what it was when it was sold, until another one is bought; of one that nobody knows, too. */
function soldNow(
  row: SubscriptionRow,
  { planCode, period, seats }: ProcessorSubscription,
  { findPlan }: Circumstances,
): Pick<WrittenState, 'plan' | 'billingPeriod' | 'seats'> {
  const plan = planCode === row.plan.code ? row.plan : (findPlan(planCode) ?? row.plan);
  return { plan, billingPeriod: period, seats: Math.max(1, seats) };
}

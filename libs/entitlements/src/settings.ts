import type { AppConfig } from '@app/config';

/** What the deployment says of limits, and which of them it enforces. */
export interface EntitlementSettings {
  /** Of one user where nothing is sold; 0 for no limit. */
  readonly storageQuotaBytes: number;
  /** That runs of workflows are kept at most, whatever a plan says. */
  readonly runHistoryDays: number;
  /** Whether what the plan does not have is refused. */
  readonly featureGate: boolean;
  /** Whether uploads beyond the limit are refused. */
  readonly storageGate: boolean;
  /** Whether an expired subscription closes what is not reading, exporting, deleting or paying. */
  readonly subscriptionGate: boolean;
  /** Whether people without a plan are sent to the plans. */
  readonly planRequired: boolean;
}

export const ENTITLEMENT_SETTINGS = Symbol('ENTITLEMENT_SETTINGS');

/** Where nothing is sold, no plan can lack anything, and none expires. */
export function toEntitlementSettings({ storage, workflows, billing, enforcement }: AppConfig): EntitlementSettings {
  const isSold = billing.kind !== 'none';
  return {
    storageQuotaBytes: storage.quotaBytes,
    runHistoryDays: workflows.historyDays,
    featureGate: isSold && enforcement.features,
    storageGate: enforcement.storage,
    subscriptionGate: isSold && enforcement.subscriptions,
    planRequired: isSold && enforcement.planRequired,
  };
}

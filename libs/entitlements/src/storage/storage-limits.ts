import { Inject, Injectable } from '@nestjs/common';

export interface EntitlementSettings {
  /** Of one user; 0 for no limit. */
  storageQuotaBytes: number;
  /** That runs of workflows are kept. */
  runHistoryDays: number;
  /** Whether uploads beyond the limit are refused. */
  storageGate: boolean;
}

export const ENTITLEMENT_SETTINGS = Symbol('ENTITLEMENT_SETTINGS');

/** How much one may store: the same for everybody, until plans say otherwise. */
@Injectable()
export class StorageLimits {
  constructor(@Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings) {}

  /** Bytes; null for no limit. */
  async limitFor(_userId: number): Promise<number | null> {
    return this.settings.storageQuotaBytes || null;
  }
}

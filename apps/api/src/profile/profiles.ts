import { type AccountProfile, AccountProfiles, RevocableCache } from '@app/auth';
import { NotFoundError } from '@app/common';
import { type AgentRecord, DedicatedAgents } from '@app/dedicated-agent';
import { LiveBus } from '@app/live';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AccountEntitlements, type ShownEntitlements } from './account-entitlements.js';

/** An account as the profile shows it, in wire names; `phone` is text, as the driver gives a bigint. */
export type ProfileRow = AccountProfile &
  ShownEntitlements & {
    dedicated_agent_status: AgentRecord['status'] | null;
  };

/** Profiles behind a short cache, which every change of an account, or of what it may use, clears on all replicas. */
@Injectable()
export class Profiles implements OnModuleInit {
  private readonly logger = new Logger(Profiles.name);
  private readonly cache = new RevocableCache<ProfileRow>({ max: 5000, ttlMs: 5000 });

  constructor(
    private readonly accounts: AccountProfiles,
    private readonly live: LiveBus,
    private readonly entitlements: AccountEntitlements,
    private readonly agents: DedicatedAgents,
  ) {}

  onModuleInit(): void {
    this.live.onGap(() => this.cache.clear());
    const subscribed = Promise.all([
      this.live.subscribe('principals', (message) => {
        if ('userId' in message) this.cache.revoke((row) => row.id === message.userId);
      }),
      this.live.subscribe('entitlements', (message) =>
        this.cache.revoke((row) =>
          'userId' in message ? row.id === message.userId : row.organization_id === message.organizationId,
        ),
      ),
    ]);
    subscribed.catch((error: Error) => this.logger.warn(`Changes of profiles are not pushed: ${error.message}`));
  }

  /** @throws NotFoundError when the account is gone */
  async get(userId: number): Promise<ProfileRow> {
    const key = String(userId);
    const row = await this.cache.load(key, () => this.find(userId));
    if (!row) throw new NotFoundError();
    return row;
  }

  /** @returns the flag as it was; from now on it is false */
  acknowledgeFirstTime(userId: number): Promise<boolean> {
    return this.accounts.acknowledgeFirstTime(userId);
  }

  private async find(userId: number): Promise<ProfileRow | null> {
    const row = await this.accounts.find(userId);
    if (!row) return null;
    const [shown, status] = await Promise.all([
      this.entitlements.of({ userId, organizationId: row.organization_id }),
      row.dedicated_agent ? this.agents.findStatus(userId) : null,
    ]);
    return { ...row, ...shown, dedicated_agent_status: status };
  }
}

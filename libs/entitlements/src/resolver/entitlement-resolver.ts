import { findOrganizationOf, RevocableCache } from '@app/auth';
import { LiveBus } from '@app/live';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PlanCatalog } from '../plans/plan-catalog.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings } from '../settings.js';
import { findLiveSubscription } from '../subscriptions/find-live-subscription.js';
import { type Account, type Entitlement, freeTier, ofSubscription, unsold } from './entitlement.js';

const MAX_ENTRIES = 20_000;
/** A push tells of changes at once; how long one that is lost is not noticed. */
const MAX_AGE_MS = 5000;
/** Nobody: an organisation is asked about without a member. */
const NOBODY = 0;

interface Known extends Account {
  readonly entitlement: Entitlement;
}

/**
 * The one place that says what an account may use. What it has read is remembered for seconds, and forgotten at once when
 * a change of a subscription is pushed (`entitlements`) or an account moves to another organisation (`principals`).
 */
@Injectable()
export class EntitlementResolver implements OnModuleInit {
  private readonly logger = new Logger(EntitlementResolver.name);
  private readonly cache = new RevocableCache<Known>({ max: MAX_ENTRIES, ttlMs: MAX_AGE_MS });
  private readonly accounts = new RevocableCache<Account>({ max: MAX_ENTRIES, ttlMs: MAX_AGE_MS });

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly catalog: PlanCatalog,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {}

  onModuleInit(): void {
    if (!this.catalog.offering) return;
    this.live.onGap(() => {
      this.cache.clear();
      this.accounts.clear();
    });
    const subscribed = Promise.all([
      this.live.subscribe('entitlements', (changed) =>
        this.cache.revoke((known) =>
          'userId' in changed ? known.userId === changed.userId : known.organizationId === changed.organizationId,
        ),
      ),
      this.live.subscribe('principals', (changed) => {
        if ('userId' in changed) this.accounts.revoke(({ userId }) => userId === changed.userId);
      }),
    ]);
    subscribed.catch((error: Error) => this.logger.warn(`Changes of plans are not pushed: ${error.message}`));
  }

  /** The answer when it is remembered, at once. */
  peek(account: Account): Entitlement | undefined {
    if (!this.catalog.offering) return unsold(account.userId, this.settings);
    return this.cache.peek(keyOf(account))?.entitlement;
  }

  async of(account: Account): Promise<Entitlement> {
    const known = this.peek(account);
    if (known) return known;
    const { userId, organizationId } = account;
    const loaded = await this.cache.load(keyOf(account), async () => ({
      userId,
      organizationId,
      entitlement: await this.read(this.dataSource, account),
    }));
    return loaded!.entitlement;
  }

  /** Where only the account is known. */
  async ofUser(userId: number): Promise<Entitlement> {
    if (!this.catalog.offering) return unsold(userId, this.settings);
    const account = await this.accounts.load(String(userId), async () => ({
      userId,
      organizationId: await findOrganizationOf(this.dataSource, userId),
    }));
    return this.of(account!);
  }

  /** What an organisation may use as such, for its directory and sign-in: that of its own plan, else the free tier. */
  ofOrganization(organizationId: number): Promise<Entitlement> {
    return this.of({ userId: NOBODY, organizationId });
  }

  /** As it stands in this transaction, whatever is remembered. */
  async readNow(tx: Pick<EntityManager, 'query'>, userId: number): Promise<Entitlement> {
    if (!this.catalog.offering) return unsold(userId, this.settings);
    return this.read(tx, { userId, organizationId: await findOrganizationOf(tx, userId) });
  }

  /** The same of an organisation as such. */
  async readOrganization(tx: Pick<EntityManager, 'query'>, organizationId: number): Promise<Entitlement> {
    if (!this.catalog.offering) return unsold(NOBODY, this.settings);
    return this.read(tx, { userId: NOBODY, organizationId });
  }

  private async read(db: Pick<EntityManager, 'query'>, account: Account): Promise<Entitlement> {
    const subscription = await findLiveSubscription(db, account);
    if (subscription) return ofSubscription(account.userId, subscription, this.settings);
    return freeTier(account.userId, this.catalog.offering!, this.settings);
  }
}

function keyOf({ userId, organizationId }: Account): string {
  return `${userId}:${organizationId}`;
}

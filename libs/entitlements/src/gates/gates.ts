import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Feature } from '../plans/features.js';
import type { Account, Entitlement } from '../resolver/entitlement.js';
import { EntitlementResolver } from '../resolver/entitlement-resolver.js';
import type { Pool } from '../subscriptions/subscription.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings } from '../settings.js';
import { FeatureNotInPlanError, SubscriptionExpiredError } from './refusals.js';

/** What a call belongs to: a feature that plans sell, or `core`, which every account has. */
export type Part = Feature | 'core';

export type Refusal = FeatureNotInPlanError | SubscriptionExpiredError;

/**
 * Whether an account may begin something now. Reading, exporting and deleting never ask here: nobody is locked out of what
 * is theirs. Nothing is asked, and nothing costs, where the deployment enforces nothing.
 */
@Injectable()
export class Gates {
  /** Whether nothing is ever refused. */
  readonly areOpen: boolean;
  /** Whether plans say which features there are. */
  readonly enforcesFeatures: boolean;

  constructor(
    private readonly entitlements: EntitlementResolver,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {
    this.enforcesFeatures = settings.featureGate;
    this.areOpen = !settings.featureGate && !settings.subscriptionGate;
  }

  /** At once where the answer is remembered. @throws Refusal */
  check(account: Account, part: Part): void | Promise<void> {
    if (this.mayPass(part)) return;
    const known = this.entitlements.peek(account);
    if (known) return this.demand(known, part);
    return this.entitlements.of(account).then((found) => this.demand(found, part));
  }

  /** The same where only the account is known. @throws Refusal */
  async checkUser(userId: number, part: Part): Promise<void> {
    const refusal = await this.refusalFor(userId, part);
    if (refusal) throw refusal;
  }

  /** The same as an answer. */
  async refusalFor(userId: number, part: Part): Promise<Refusal | null> {
    return this.mayPass(part) ? null : this.refusalOf(await this.entitlements.ofUser(userId), part);
  }

  /** As it stands in this transaction, whatever is remembered. */
  async refusalNow(tx: EntityManager, userId: number, part: Part): Promise<Refusal | null> {
    return this.mayPass(part) ? null : this.refusalOf(await this.entitlements.readNow(tx, userId), part);
  }

  /** For what an organisation does as such, without a member. @throws Refusal */
  async checkOrganization(organizationId: number, part: Part): Promise<void> {
    if (!this.mayPass(part)) this.demand(await this.entitlements.ofOrganization(organizationId), part);
  }

  /** The features that the account’s plan lacks; none where nothing is refused. */
  async missingOf(userId: number): Promise<ReadonlySet<Feature>> {
    if (!this.settings.featureGate) return new Set();
    const { features } = await this.entitlements.ofUser(userId);
    return new Set((Object.keys(features) as Feature[]).filter((feature) => !features[feature]));
  }

  /** Whose builds are counted together, and how many there may be at once; null where that is not enforced. */
  async liveBuildsOf(userId: number, tx: EntityManager): Promise<{ pool: Pool; limit: number } | null> {
    if (!this.settings.featureGate) return null;
    const { pool, limits } = await this.entitlements.readNow(tx, userId);
    return limits.liveBuildSessions === null ? null : { pool, limit: limits.liveBuildSessions };
  }

  /** For what is under way already, whether or not the subscription has expired by now. @throws FeatureNotInPlanError */
  async requireFeature(userId: number, feature: Feature): Promise<void> {
    if ((await this.missingOf(userId)).has(feature)) throw new FeatureNotInPlanError(feature);
  }

  private mayPass(part: Part): boolean {
    return !this.settings.subscriptionGate && (part === 'core' || !this.settings.featureGate);
  }

  private demand(known: Entitlement, part: Part): void {
    const refusal = this.refusalOf(known, part);
    if (refusal) throw refusal;
  }

  /** That nothing is paid for is said first. */
  private refusalOf(known: Entitlement, part: Part): Refusal | null {
    if (this.settings.subscriptionGate && known.expired) return new SubscriptionExpiredError();
    if (this.settings.featureGate && part !== 'core' && !known.features[part]) return new FeatureNotInPlanError(part);
    return null;
  }
}

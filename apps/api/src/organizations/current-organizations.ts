import { Organizations, type Principal } from '@app/auth';
import { findLiveSubscription } from '@app/entitlements';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type OrganizationResponse, toOrganizationResponse } from './organizations.dto.js';

/** An organisation together with the plan that it lives on. */
@Injectable()
export class CurrentOrganizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly organizations: Organizations,
  ) {}

  /** @throws NotFoundError `no_organization` */
  async show(viewer: Principal): Promise<OrganizationResponse> {
    const found = await this.organizations.getCurrent(viewer);
    const pool = { userId: viewer.userId, organizationId: found.id };
    const subscription = await findLiveSubscription(this.dataSource.manager, pool);
    const isTheirs = subscription !== null && (found.personal || subscription.organizationId === found.id);
    return toOrganizationResponse(found, isTheirs ? subscription.plan.code : null);
  }
}

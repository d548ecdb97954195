import {
  MemberList,
  OrganizationInvitations,
  OrganizationMembers,
  Organizations,
  OrganizationSuccession,
  PlanOwners,
  ReceivedInvitations,
  Seats,
} from '@app/auth';
import { Module } from '@nestjs/common';
import { CurrentOrganizations } from './current-organizations.js';
import { OrganizationAuditController } from './organization-audit.controller.js';
import { OrganizationInvitationsController } from './organization-invitations.controller.js';
import { OrganizationMembersController } from './organization-members.controller.js';
import { OrganizationSecretsController } from './organization-secrets.controller.js';
import { OrganizationController } from './organization.controller.js';
import { ReceivedInvitationsController } from './received-invitations.controller.js';
import { SecretsOfOrganizations } from './secrets-of-organizations.js';
import { SubscriptionOwners } from './subscription-owners.js';

/** Organisations that their people run themselves. */
@Module({
  controllers: [
    OrganizationController,
    OrganizationMembersController,
    OrganizationInvitationsController,
    ReceivedInvitationsController,
    OrganizationAuditController,
    OrganizationSecretsController,
  ],
  providers: [
    CurrentOrganizations,
    MemberList,
    OrganizationInvitations,
    OrganizationMembers,
    Organizations,
    OrganizationSuccession,
    ReceivedInvitations,
    Seats,
    SecretsOfOrganizations,
    { provide: PlanOwners, useClass: SubscriptionOwners },
  ],
  exports: [OrganizationSuccession],
})
export class OrganizationsModule {}

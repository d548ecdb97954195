import { CurrentUser, OrganizationInvitations, type Principal, rateKey } from '@app/auth';
import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../http/params.js';
import { Route } from '../http/route.js';
import { type SlowLimit, SlowLimiter } from '../http/slow-limiter.js';
import { OrganizationInvitationRequest, OrganizationInvitationResponse } from './organizations.dto.js';
import { PartOf } from '../http/part-of.js';

/** To one address: nobody uses up what another one may send. */
const TO_ONE: SlowLimit = { bucket: 'organisation-invitation', limit: 5, seconds: 3600 };
const BY_ONE: SlowLimit = { bucket: 'organisation-invitations-by', limit: 300, seconds: 86_400 };

/** Whom owners and admins ask to join (docs/contract/organisations.md#invitations). */
@ApiTags('Organisations')
@PartOf('rbac')
@Controller('organisations/current/invitations')
export class OrganizationInvitationsController {
  constructor(
    private readonly invitations: OrganizationInvitations,
    private readonly limiter: SlowLimiter,
  ) {}

  @Get()
  @Route({
    summary: 'List the open invitations of my organisation',
    description: 'Newest first. For its owners and admins.',
    errors: { 404: 'detail' },
    response: [OrganizationInvitationResponse],
  })
  list(@CurrentUser() viewer: Principal): Promise<OrganizationInvitationResponse[]> {
    return this.invitations.list(viewer);
  }

  @Post()
  @Route({
    summary: 'Invite somebody to my organisation',
    description:
      'A mail with a code that is good once, for 7 days; one more to the same address ends the one before, five an hour. Admins invite members and viewers.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationInvitationResponse,
    status: 201,
    rate: { bucket: 'organisation-invitations', perMinute: 60 },
    startsSomething: true,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @Body() { email, role }: OrganizationInvitationRequest,
  ): Promise<OrganizationInvitationResponse> {
    // Of an organisation, and of a person, who may end theirs and make another one.
    const limits = [
      { limit: TO_ONE, who: rateKey(`${viewer.organizationId} ${email}`) },
      { limit: TO_ONE, who: rateKey(`by ${viewer.userId} ${email}`) },
      { limit: BY_ONE, who: String(viewer.userId) },
    ];
    const counted: typeof limits = [];
    try {
      for (const one of limits) {
        counted.push(one);
        await this.limiter.hit(one.limit, one.who);
      }
      return await this.invitations.create(viewer, email, role);
    } catch (error) {
      // Nothing was sent.
      for (const { limit, who } of counted) await this.limiter.forgive(limit, who);
      throw error;
    }
  }

  @Delete(':id/')
  @Route({
    summary: 'Take an invitation to my organisation back',
    description: 'The code of its mail is good for nothing any more.',
    errors: { 404: 'detail', 409: 'detail' },
    response: null,
  })
  withdraw(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<void> {
    return this.invitations.withdraw(viewer, id);
  }
}

import { CurrentUser, type Principal, ReceivedInvitations } from '@app/auth';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Route } from '../http/route.js';
import { CurrentOrganizations } from './current-organizations.js';
import { AcceptInvitationRequest, OrganizationResponse, ReceivedInvitationResponse } from './organizations.dto.js';
import { PartOf } from '../http/part-of.js';

/** What others ask the caller to join (docs/contract/organisations.md#invitations). */
@ApiTags('Organisations')
@PartOf('core')
@Controller('organisations/invitations')
export class ReceivedInvitationsController {
  constructor(
    private readonly invitations: ReceivedInvitations,
    private readonly current: CurrentOrganizations,
  ) {}

  @Get()
  @Route({
    summary: 'List invitations to my address',
    description: 'Those that are open, once the address is confirmed. The code to accept with is in the mail alone.',
    errors: { 404: 'detail' },
    response: [ReceivedInvitationResponse],
  })
  list(@CurrentUser() viewer: Principal): Promise<ReceivedInvitationResponse[]> {
    return this.invitations.list(viewer);
  }

  @Post('accept/')
  @Route({
    summary: 'Join the organisation that invited me',
    open: true,
    description:
      'With the code of the mail, from the account with that address. 409 `other_organization` for who belongs to another one, 403 `no_free_seats`.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationResponse,
  })
  async accept(
    @CurrentUser() viewer: Principal,
    @Body() { token }: AcceptInvitationRequest,
  ): Promise<OrganizationResponse> {
    await this.invitations.accept(viewer, token);
    return this.current.show(viewer);
  }
}

import { SentInvitations } from '@app/access';
import { CurrentUser, type Principal } from '@app/auth';
import { Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { InvitationResponse, toInvitationResponse } from './invitations.dto.js';

/** What waits until its receiver confirms the address (docs/contract/accounts.md#invitations). */
@ApiTags('Invitations')
@PartOf('core')
@Controller('users/invitations')
export class InvitationsController {
  constructor(private readonly invitations: SentInvitations) {}

  @Get()
  @Route({
    summary: 'List my open invitations',
    description: 'Shares, collaborators and transfers to addresses that nobody has confirmed yet.',
    response: [InvitationResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<InvitationResponse[]> {
    return (await this.invitations.list(viewer.userId)).map(toInvitationResponse);
  }

  @Delete(':id/')
  @Route({
    summary: 'Take an invitation back',
    description: 'The link of the mail is good for nothing any more. 404 for invitations of others.',
    response: null,
  })
  async withdraw(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<void> {
    await this.invitations.withdraw(viewer, id);
  }
}

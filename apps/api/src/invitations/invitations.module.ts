import { DueInvitations, SentInvitations } from '@app/access';
import { SharingModule } from '@app/documents';
import { WorkflowSharingModule } from '@app/workflows';
import { Global, Module } from '@nestjs/common';
import { InvitationRedeemer } from './invitation-redeemer.js';
import { InvitationsController } from './invitations.controller.js';

/** Shares that wait for an address to be confirmed. Global: every way to confirm one redeems them. */
@Global()
@Module({
  imports: [SharingModule, WorkflowSharingModule],
  controllers: [InvitationsController],
  providers: [DueInvitations, InvitationRedeemer, SentInvitations],
  exports: [InvitationRedeemer],
})
export class InvitationsModule {}

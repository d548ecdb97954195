import { SharingModule } from '@app/documents';
import { WorkflowSharingModule } from '@app/workflows';
import { Global, Module } from '@nestjs/common';
import { InvitationRedeemer } from './invitation-redeemer.js';
import { InvitationsController } from './invitations.controller.js';
import { SentInvitations } from './sent-invitations.js';

/** Shares that wait for an address to be confirmed. Global: every way to confirm one redeems them. */
@Global()
@Module({
  imports: [SharingModule, WorkflowSharingModule],
  controllers: [InvitationsController],
  providers: [InvitationRedeemer, SentInvitations],
  exports: [InvitationRedeemer],
})
export class InvitationsModule {}

import { type DueInvitation, DueInvitations } from '@app/access';
import { DomainError, UnavailableError } from '@app/common';
import { DocumentSharing } from '@app/documents';
import { SoleTasks } from '@app/queues';
import { WorkflowCollaborators, WorkflowSharing, WorkflowTransfers } from '@app/workflows';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';

const SWEEP_SECONDS = 10;
const AT_ONCE = 200;

/**
 * Invitations take effect once an account has confirmed their address (docs/contract/accounts.md#invitations): with
 * the confirmation itself,
 * at sign-in, and by a sweeper for every other way an address comes to be vouched for (SCIM, staff).
 */
@Injectable()
export class InvitationRedeemer implements OnModuleInit {
  private readonly logger = new Logger(InvitationRedeemer.name);

  constructor(
    private readonly due: DueInvitations,
    private readonly tasks: SoleTasks,
    private readonly documents: DocumentSharing,
    private readonly sharing: WorkflowSharing,
    private readonly collaborators: WorkflowCollaborators,
    private readonly transfers: WorkflowTransfers,
  ) {}

  onModuleInit(): void {
    this.tasks.every('share invitations', SWEEP_SECONDS, () => this.sweep());
  }

  /** Never fails: what does not work now, the sweeper tries again. */
  async redeemFor(userId: number): Promise<void> {
    try {
      await this.redeemAll(userId);
    } catch (error) {
      this.logger.warn(`Invitations of account ${userId} wait: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  /** Also ends those that are too old. */
  async sweep(): Promise<void> {
    await this.due.removeExpired();
    await this.redeemAll(null);
  }

  private async redeemAll(userId: number | null): Promise<void> {
    for (const due of await this.due.list(userId, AT_ONCE)) await this.redeem(due);
  }

  /** In the name of the inviter, whose right to share is looked at again; without it the invitation is void. */
  private async redeem(due: DueInvitation): Promise<void> {
    try {
      await this.share(due);
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof UnavailableError) throw error;
      await this.due.remove(due.id);
      this.logger.log(`Invitation ${due.id} to ${due.kind} ${due.target} is void: ${error.message}`);
    }
  }

  private async share({ id, kind, target, role, address, inviter_id: userId, inviter }: DueInvitation): Promise<void> {
    const actor = { userId, username: inviter };
    if (kind === 'document') await this.documents.add(actor, target, [address], id);
    else if (kind === 'transfer') await this.transfers.offer(actor, target, address, id);
    else if (kind === 'collaborator') await this.collaborators.add(actor, target, [address], role ?? 'viewer', id);
    else await this.sharing.share(actor, target, [address], kind === 'app', id);
  }
}

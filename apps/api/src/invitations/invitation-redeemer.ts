import { AddressTrust, type InvitationKind } from '@app/access';
import { DomainError, UnavailableError } from '@app/common';
import { DocumentSharing } from '@app/documents';
import { SoleTasks } from '@app/queues';
import { WorkflowCollaborators, WorkflowSharing, WorkflowTransfers } from '@app/workflows';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';

const SWEEP_SECONDS = 10;
const AT_ONCE = 200;

interface Due {
  id: string;
  kind: InvitationKind;
  target: string;
  role: 'editor' | 'viewer' | null;
  address: string;
  inviter_id: number;
  inviter: string;
}

/**
 * Invitations take effect once an account has confirmed their address (docs/contract/accounts.md#invitations): with
 * the confirmation itself,
 * at sign-in, and by a sweeper for every other way an address comes to be vouched for (SCIM, staff).
 */
@Injectable()
export class InvitationRedeemer implements OnModuleInit {
  private readonly logger = new Logger(InvitationRedeemer.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
    private readonly trust: AddressTrust,
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
    await this.dataSource.query('DELETE FROM share_invitations WHERE expires_at <= now()');
    await this.redeemAll(null);
  }

  private async redeemAll(userId: number | null): Promise<void> {
    for (const due of await this.listDue(userId)) await this.redeem(due);
  }

  /** In the order in which they were made. What lies in the trash waits there. */
  private listDue(userId: number | null): Promise<Due[]> {
    return this.dataSource.query<Due[]>(
      `SELECT i.id, i.kind, coalesce(i.document_uid, i.workflow_id) AS target, i.role, i.address, i.inviter_id,
         s.username AS inviter
       FROM share_invitations i JOIN users s ON s.id = i.inviter_id AND s.is_active
       JOIN users u ON lower(u.email) = i.address AND u.is_active AND ${this.trust.condition('u')}
       LEFT JOIN documents d ON d.uid = i.document_uid LEFT JOIN workflows w ON w.id = i.workflow_id
       WHERE i.expires_at > now() AND ($1::int IS NULL OR u.id = $1)
         AND d.deleted_at IS NULL AND w.deleted_at IS NULL
       ORDER BY i.created_at, i.id LIMIT ${AT_ONCE}`,
      [userId],
    );
  }

  /** In the name of the inviter, whose right to share is looked at again; without it the invitation is void. */
  private async redeem(due: Due): Promise<void> {
    try {
      await this.share(due);
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof UnavailableError) throw error;
      await this.dataSource.query('DELETE FROM share_invitations WHERE id = $1', [due.id]);
      this.logger.log(`Invitation ${due.id} to ${due.kind} ${due.target} is void: ${error.message}`);
    }
  }

  private async share({ id, kind, target, role, address, inviter_id: userId, inviter }: Due): Promise<void> {
    const actor = { userId, username: inviter };
    if (kind === 'document') await this.documents.add(actor, target, [address], id);
    else if (kind === 'transfer') await this.transfers.offer(actor, target, address, id);
    else if (kind === 'collaborator') await this.collaborators.add(actor, target, [address], role ?? 'viewer', id);
    else await this.sharing.share(actor, target, [address], kind === 'app', id);
  }
}

import { AddressTrust, findWorkflowRole, invite, takeInvitation } from '@app/access';
import { AuditLog } from '@app/audit';
import { ForbiddenError, NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';
import type { Collaborator } from '../store/workflow-reader.js';
import { toDisplayName, WorkflowNotices } from './sharing-notices.js';
import { type Actor, findAddressed, getRecipient, lockOwnWorkflow, untag } from './sharing-people.js';

export type CollaboratorRole = Collaborator['role'];

/** Addresses as they were given, each once. */
export interface AddedCollaborators {
  added: string[];
  /** Those who were there already; they have the role now. */
  updated: string[];
  /** Nobody has confirmed them; who does gets it. */
  invited: string[];
  notFound: string[];
}

const NOTHING = { outcome: { added: [], updated: [], invited: [], notFound: [] }, receipts: [] };

/**
 * Who works on a workflow beside its owner (docs/contract/workflows.md#sharing). It takes effect on the very next
 * request.
 */
@Injectable()
export class WorkflowCollaborators {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly notices: WorkflowNotices,
    private readonly audit: AuditLog,
    private readonly live: LiveBus,
    private readonly trust: AddressTrust,
  ) {}

  /** In the order in which they came. @throws NotFoundError, ForbiddenError for everybody but the owner. */
  async list(ownerId: number, workflowId: string): Promise<Collaborator[]> {
    await this.access.require(ownerId, workflowId, 'owner');
    return listCollaborators(this.dataSource.manager, workflowId);
  }

  /**
   * @param invitation that is taken up by this; nothing happens when it is used up or withdrawn
   * @throws InvalidRequestError `cannot_add_owner`; NotFoundError, ForbiddenError.
   */
  async add(
    actor: Actor,
    workflowId: string,
    emails: readonly string[],
    role: CollaboratorRole,
    invitation: string | null = null,
  ): Promise<AddedCollaborators> {
    const { outcome, receipts } = await this.dataSource.transaction(async (tx) => {
      const workflow = await lockOwnWorkflow(tx, actor.userId, workflowId);
      if (invitation !== null && !(await takeInvitation(tx, invitation))) return NOTHING;
      const { people, invited, notFound, addressOf } = await findAddressed(tx, emails, actor.userId, this.trust);
      await invite(tx, { kind: 'collaborator', targetId: workflowId, inviterId: actor.userId, role }, invited);
      const known = await tx.query<{ user_id: number }[]>(
        'SELECT user_id FROM workflow_collaborators WHERE workflow_id = $1 AND user_id = ANY($2::int[])',
        [workflowId, people.map(({ id }) => id)],
      );
      const isKnown = ({ id }: { id: number }) => known.some(({ user_id: userId }) => userId === id);
      await tx.query(
        `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, unnest($2::int[]), $3
         ON CONFLICT (workflow_id, user_id) DO UPDATE SET role = excluded.role`,
        [workflowId, people.map(({ id }) => id), role],
      );
      const owner = toDisplayName(await getRecipient(tx, actor.userId));
      const template = role === 'editor' ? 'workflow-editable' : 'workflow-viewable';
      const receipts: OutboxReceipt[] = [];
      for (const person of people) {
        const action = isKnown(person) ? 'workflow.collaborator_changed' : 'workflow.collaborator_added';
        await this.record(action, actor, person, workflowId, { role }, tx);
        if (isKnown(person)) continue;
        receipts.push(...(await this.notices.write(template, person, { owner, workflow: workflow.name }, tx)));
      }
      const outcome = {
        added: people.filter((person) => !isKnown(person)).map(addressOf),
        updated: people.filter(isKnown).map(addressOf),
        invited,
        notFound,
      };
      return { outcome, receipts };
    });
    this.notices.publish(receipts);
    return outcome;
  }

  /** @throws NotFoundError, ForbiddenError for everybody but the owner. */
  async changeRole(actor: Actor, workflowId: string, userId: number, role: CollaboratorRole): Promise<Collaborator> {
    const changed = await this.dataSource.transaction(async (tx) => {
      await lockOwnWorkflow(tx, actor.userId, workflowId);
      const [, count] = await tx.query<[unknown, number]>(
        'UPDATE workflow_collaborators SET role = $3 WHERE workflow_id = $1 AND user_id = $2',
        [workflowId, userId, role],
      );
      const [collaborator] = count === 0 ? [] : await listCollaborators(tx, workflowId, userId);
      if (!collaborator) throw noCollaborator();
      await this.record('workflow.collaborator_changed', actor, collaborator.user, workflowId, { role }, tx);
      return collaborator;
    });
    this.live.publish(`workflow:${workflowId}`, { type: 'access_changed', userId });
    return changed;
  }

  /** By the owner, or by the collaborator, who leaves. Closes their sockets. @throws NotFoundError, ForbiddenError. */
  async remove(actor: Actor, workflowId: string, userId: number): Promise<void> {
    const isLeaving = actor.userId === userId;
    await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<unknown[]>('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [workflowId]);
      const role = row ? await findWorkflowRole(tx, actor.userId, workflowId) : null;
      if (role === null) throw new NotFoundError('Workflow not found.', { code: 'workflow_not_found' });
      if (role !== 'owner' && !isLeaving)
        throw new ForbiddenError('Only the owner of the workflow can do this.', { code: 'not_workflow_owner' });
      const [removed] = await tx.query<[{ id: number; username: string }[], number]>(
        `DELETE FROM workflow_collaborators c USING users u
         WHERE c.workflow_id = $1 AND c.user_id = $2 AND u.id = c.user_id RETURNING u.id, u.username`,
        [workflowId, userId],
      );
      if (!removed[0]) throw noCollaborator();
      await untag(tx, workflowId, [userId]);
      const action = isLeaving ? 'workflow.collaborator_left' : 'workflow.collaborator_removed';
      await this.record(action, actor, removed[0], workflowId, {}, tx);
    });
    this.live.publish(`workflow:${workflowId}`, { type: 'access_changed', userId });
  }

  private record(
    action: `workflow.collaborator_${'added' | 'changed' | 'removed' | 'left'}`,
    actor: Actor,
    { id, username }: { id: number; username: string },
    workflowId: string,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    const target = `workflow:${workflowId}`;
    return this.audit.record({ action, actor, subjectId: id, target, details: { user: username, ...details } }, tx);
  }
}

/** @param userId only this one. */
export async function listCollaborators(
  tx: EntityManager,
  workflowId: string,
  userId: number | null = null,
): Promise<Collaborator[]> {
  const rows = await tx.query<
    { id: number; username: string; email: string; role: CollaboratorRole; created_at: Date }[]
  >(
    `SELECT u.id, u.username, u.email, c.role, c.created_at
     FROM workflow_collaborators c JOIN users u ON u.id = c.user_id
     WHERE c.workflow_id = $1 AND ($2::int IS NULL OR c.user_id = $2) ORDER BY c.created_at, u.id`,
    [workflowId, userId],
  );
  return rows.map(({ id, username, email, role, created_at: createdAt }) => ({
    user: { id, username, email },
    role,
    createdAt,
  }));
}

function noCollaborator(): NotFoundError {
  return new NotFoundError('There is no such collaborator.', { code: 'collaborator_not_found' });
}

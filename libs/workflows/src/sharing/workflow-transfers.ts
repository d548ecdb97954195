import { AddressTrust, invite, takeInvitation, withdrawInvitations } from '@app/access';
import { AuditLog } from '@app/audit';
import { newId, NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import { ToolCatalogue } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { adoptNodes } from '../actors/adoption.js';
import { type ActingPerson, type ActorsRow, actorsOf, ShownActors } from '../actors/shown-actors.js';
import { toRevision } from '../revisions/revision-cache.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import type { Person } from '../store/workflow-record.js';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { RunNotifier } from '../runs/run-notifier.js';
import { HandOver, type HandedOver } from './hand-over.js';
import { toDisplayName, WorkflowNotices } from './sharing-notices.js';
import { type Actor, findAddressed, getRecipient, lockOwnWorkflow } from './sharing-people.js';

/** An offer that nobody answers ends after so many days. */
export const TRANSFER_DAYS = 7;

/** An offer to hand a workflow over. */
export interface WorkflowTransfer {
  id: string;
  workflow: { id: string; name: string };
  from: Person;
  to: Person;
  /** How many people work on it, and how many have it as an app: what `keepPeople` is about. */
  collaborators: number;
  apps: number;
  /** The newest, whose nodes these are. */
  contentRevision: number;
  nodes: { nodeId: string; kind: string; name: string | null; actsAs: ActingPerson | null }[];
  createdAt: Date;
  expiresAt: Date;
}

interface Row {
  id: string;
  workflow_id: string;
  name: string;
  from_id: number;
  from_username: string;
  from_email: string;
  to_id: number;
  to_username: string;
  to_email: string;
  collaborators: number;
  apps: number;
  content_revision: number;
  json_spec: Record<string, unknown>;
  actors: ActorsRow | null;
  created_at: Date;
  expires_at: Date;
}

const SELECT = `
  SELECT t.id, t.workflow_id, w.name, f.id AS from_id, f.username AS from_username, f.email AS from_email, r.id AS to_id,
    r.username AS to_username, r.email AS to_email, t.created_at, t.expires_at,
    (SELECT count(*) FROM workflow_collaborators c WHERE c.workflow_id = w.id)::int AS collaborators,
    (SELECT count(*) FROM workflows a WHERE a.app_of_id = w.id AND a.app_state = 'shared')::int AS apps,
    w.content_revision, v.json_spec, ${actorsOf('w.id', 'w.content_revision')} AS actors
  FROM workflow_transfers t JOIN workflows w ON w.id = t.workflow_id AND w.deleted_at IS NULL AND w.owner_id = t.from_user_id
  JOIN workflow_revisions v ON v.workflow_id = w.id AND v.content_revision = w.content_revision
  JOIN users f ON f.id = t.from_user_id JOIN users r ON r.id = t.to_user_id
  WHERE t.expires_at > now()`;

/** A workflow changes hands when its owner offers it and the other accepts (docs/contract/workflows.md#sharing). */
@Injectable()
export class WorkflowTransfers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly handOver: HandOver,
    private readonly notices: WorkflowNotices,
    private readonly audit: AuditLog,
    private readonly announcer: RunAnnouncer,
    private readonly notifier: RunNotifier,
    private readonly live: LiveBus,
    private readonly catalogue: ToolCatalogue,
    private readonly trust: AddressTrust,
  ) {}

  /**
   * An offer made before is replaced.
   * @param invitation that is taken up by this
   * @returns null when nobody has confirmed the address, so that it is invited, or the invitation is not open any more
   * @throws NotFoundError `user_not_found`; InvalidRequestError `cannot_add_owner`; NotFoundError, ForbiddenError.
   */
  async offer(
    actor: Actor,
    workflowId: string,
    email: string,
    invitation: string | null = null,
  ): Promise<WorkflowTransfer | null> {
    const id = newId();
    const receipts = await this.dataSource.transaction(async (tx) => {
      const workflow = await lockOwnWorkflow(tx, actor.userId, workflowId);
      if (invitation !== null && !(await takeInvitation(tx, invitation))) return null;
      const { people, invited } = await findAddressed(tx, [email], actor.userId, this.trust);
      const [receiver] = people;
      if (!receiver && invited.length === 0)
        throw new NotFoundError('No account has this address.', { code: 'user_not_found' });
      await tx.query('DELETE FROM workflow_transfers WHERE workflow_id = $1', [workflowId]);
      await withdrawInvitations(tx, ['transfer'], workflowId, null);
      await invite(tx, { kind: 'transfer', targetId: workflowId, inviterId: actor.userId, role: null }, invited);
      if (!receiver) return null;
      await tx.query(
        `INSERT INTO workflow_transfers (id, workflow_id, from_user_id, to_user_id, expires_at)
         VALUES ($1, $2, $3, $4, now() + make_interval(days => $5))`,
        [id, workflowId, actor.userId, receiver.id, TRANSFER_DAYS],
      );
      await this.record('workflow.transfer_offered', actor, receiver, workflowId, tx);
      const owner = toDisplayName(await getRecipient(tx, actor.userId));
      const params = { owner, workflow: workflow.name, days: TRANSFER_DAYS };
      return this.notices.write('workflow-offered', receiver, params, tx);
    });
    if (!receipts) return null;
    this.notices.publish(receipts);
    return this.get(id);
  }

  /** Null when nothing is offered. @throws NotFoundError, ForbiddenError for everybody but the owner. */
  async findOffered(ownerId: number, workflowId: string): Promise<WorkflowTransfer | null> {
    await this.access.require(ownerId, workflowId, 'owner');
    const [row] = await this.dataSource.query<Row[]>(`${SELECT} AND t.workflow_id = $1 AND t.from_user_id = $2`, [
      workflowId,
      ownerId,
    ]);
    return row ? toTransfer(row) : null;
  }

  /** What is offered to the user. */
  async listReceived(userId: number): Promise<WorkflowTransfer[]> {
    const rows = await this.dataSource.query<Row[]>(`${SELECT} AND t.to_user_id = $1 ORDER BY t.created_at, t.id`, [
      userId,
    ]);
    return rows.map(toTransfer);
  }

  /** @throws NotFoundError when nothing is offered; NotFoundError, ForbiddenError for everybody but the owner. */
  async withdraw(actor: Actor, workflowId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await lockOwnWorkflow(tx, actor.userId, workflowId);
      const [rows] = await tx.query<[{ to_user_id: number }[], number]>(
        'DELETE FROM workflow_transfers WHERE workflow_id = $1 RETURNING to_user_id',
        [workflowId],
      );
      const withdrawn = await withdrawInvitations(tx, ['transfer'], workflowId, null);
      if (!rows[0] && withdrawn.length === 0) throw noTransfer();
      if (!rows[0]) return;
      const receiver = await getRecipient(tx, rows[0].to_user_id);
      await this.record('workflow.transfer_withdrawn', actor, receiver, workflowId, tx);
    });
  }

  /** @throws NotFoundError when it is not offered to them, or not any more. */
  async decline(actor: Actor, transferId: string): Promise<void> {
    const receipts = await this.dataSource.transaction(async (tx) => {
      const { workflowId, name, fromId } = await this.take(tx, actor.userId, transferId);
      const [owner, receiver] = [await getRecipient(tx, fromId), await getRecipient(tx, actor.userId)];
      await this.record('workflow.transfer_declined', actor, owner, workflowId, tx);
      return this.notices.write('workflow-declined', owner, { receiver: toDisplayName(receiver), workflow: name }, tx);
    });
    this.notices.publish(receipts);
  }

  /**
   * @param adopt the revision whose nodes the new owner takes over, or `newest`; null: each keeps acting as who last changed it.
   * @param keepPeople whether those who work on it, the former owner among them, and those who have it as an app stay.
   * @returns the id of the workflow. @throws as `decline`.
   */
  async accept(
    actor: Actor,
    transferId: string,
    { keepPeople, adopt }: { keepPeople: boolean; adopt: number | 'newest' | null },
  ): Promise<string> {
    const { workflowId, done, receipts } = await this.dataSource.transaction(async (tx) => {
      const { workflowId, name, fromId } = await this.take(tx, actor.userId, transferId);
      const done = await this.handOver.carryOut(tx, { workflowId, fromId, toId: actor.userId, keepPeople });
      const contentRevision = adopt === 'newest' ? null : adopt;
      const adoption = { workflowId, ownerId: actor.userId, nodeId: null, contentRevision };
      const adopted = adopt === null ? [] : await adoptNodes(tx, adoption, this.catalogue);
      const [owner, receiver] = [await getRecipient(tx, fromId), await getRecipient(tx, actor.userId)];
      await this.record('workflow.transferred', actor, owner, workflowId, tx, {
        kept_people: keepPeople,
        adopted: adopted.length,
      });
      const params = { receiver: toDisplayName(receiver), workflow: name };
      return { workflowId, done, receipts: await this.notices.write('workflow-accepted', owner, params, tx) };
    });
    this.notices.publish(receipts);
    this.announce(workflowId, done);
    return workflowId;
  }

  private announce(workflowId: string, { stopped, lostApps, formerIds }: HandedOver): void {
    for (const runId of stopped.runIds) this.live.publish('runs:stop', { runId });
    for (const runId of stopped.waitingRunIds) void this.notifier.notifyOfSignal(runId);
    for (const id of [workflowId, ...lostApps]) this.announcer.nodesChanged(id, 0);
    for (const userId of formerIds) this.live.publish(`workflow:${workflowId}`, { type: 'access_changed', userId });
  }

  /** Uses the offer up, so that it is answered once. The workflow's row is locked first, as everywhere. */
  private async take(tx: EntityManager, userId: number, transferId: string) {
    const [workflow] = await tx.query<{ id: string; name: string; owner_id: number }[]>(
      `SELECT id, name, owner_id FROM workflows
       WHERE id = (SELECT workflow_id FROM workflow_transfers WHERE id = $1 AND to_user_id = $2) AND deleted_at IS NULL
       FOR NO KEY UPDATE`,
      [transferId, userId],
    );
    if (!workflow) throw noTransfer();
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM workflow_transfers
       WHERE id = $1 AND to_user_id = $2 AND from_user_id = $3 AND expires_at > now()
         AND EXISTS (SELECT FROM users u WHERE u.id = $2 AND u.is_active)`,
      [transferId, userId, workflow.owner_id],
    );
    if (count === 0) throw noTransfer();
    return { workflowId: workflow.id, name: workflow.name, fromId: workflow.owner_id };
  }

  private async get(id: string): Promise<WorkflowTransfer> {
    const [row] = await this.dataSource.query<Row[]>(`${SELECT} AND t.id = $1`, [id]);
    if (!row) throw noTransfer();
    return toTransfer(row);
  }

  private record(
    action: `workflow.transfer${'_offered' | '_withdrawn' | '_declined' | 'red'}`,
    actor: Actor,
    { id, username }: { id: number; username: string },
    workflowId: string,
    tx: EntityManager,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    const target = `workflow:${workflowId}`;
    return this.audit.record({ action, actor, subjectId: id, target, details: { user: username, ...details } }, tx);
  }
}

function noTransfer(): NotFoundError {
  return new NotFoundError('There is no such offer.', { code: 'transfer_not_found' });
}

function toTransfer(row: Row): WorkflowTransfer {
  const actors = new ShownActors(row.actors);
  return {
    id: row.id,
    workflow: { id: row.workflow_id, name: row.name },
    from: { id: row.from_id, username: row.from_username, email: row.from_email },
    to: { id: row.to_id, username: row.to_username, email: row.to_email },
    collaborators: row.collaborators,
    apps: row.apps,
    contentRevision: row.content_revision,
    nodes: toRevision(row.json_spec).nodes.map(({ id, kind, name }) => {
      return { nodeId: id, kind, name, actsAs: actors.of(id) };
    }),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

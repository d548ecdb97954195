import { AddressTrust, invite, takeInvitation, withdrawInvitations } from '@app/access';
import { AuditLog } from '@app/audit';
import { ConflictError } from '@app/common';
import { LiveBus } from '@app/live';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { takeAppsBack } from '../deletion/shared-apps-part.js';
import { toDisplayName, WorkflowNotices } from './sharing-notices.js';
import { type Actor, findAddressed, getRecipient, lockOwnWorkflow, type Recipient } from './sharing-people.js';
import { WorkflowCopies } from './workflow-copies.js';

const MAX_SHAREES = 1000;

/** Addresses as they were given, each once. */
export interface SharingOutcome {
  /** Those who have it now, or had it before; of `unshare`, those from whom it was taken. */
  done: string[];
  /** Nobody has confirmed them; who does gets it. Of `unshare`, empty. */
  invited: string[];
  notFound: string[];
}

const NOTHING = { outcome: { done: [], invited: [], notFound: [] }, receipts: [], lost: [] };

interface Share {
  id: string;
  owner_id: number;
  is_app: boolean;
  is_live: boolean;
}

/** Gives copies of a workflow away, and apps that only run (docs/contract/workflows.md#sharing). */
@Injectable()
export class WorkflowSharing {
  constructor(
    private readonly dataSource: DataSource,
    private readonly copies: WorkflowCopies,
    private readonly notices: WorkflowNotices,
    private readonly audit: AuditLog,
    private readonly announcer: RunAnnouncer,
    private readonly live: LiveBus,
    private readonly trust: AddressTrust,
  ) {}

  /**
   * Who has the same already keeps it. Who had an app and is given a copy loses the app; who had a copy keeps it beside
   * the app.
   * @param asApp whether the receivers may only run it.
   * @param invitation that is taken up by this; nothing happens when it is used up or withdrawn
   * @throws InvalidRequestError `cannot_add_owner`; ConflictError `sharee_limit_reached`; NotFoundError, ForbiddenError.
   */
  async share(
    actor: Actor,
    workflowId: string,
    emails: readonly string[],
    asApp: boolean,
    invitation: string | null = null,
  ): Promise<SharingOutcome> {
    const { outcome, receipts, lost } = await this.dataSource.transaction(async (tx) => {
      const workflow = await lockOwnWorkflow(tx, actor.userId, workflowId);
      if (invitation !== null && !(await takeInvitation(tx, invitation))) return NOTHING;
      const { people, invited, notFound, addressOf } = await findAddressed(tx, emails, actor.userId, this.trust);
      const invites = {
        kind: asApp ? 'app' : 'copy',
        targetId: workflowId,
        inviterId: actor.userId,
        role: null,
      } as const;
      await invite(tx, invites, invited);
      const known = await tx.query<Share[]>(
        `SELECT id, owner_id, app_of_id IS NOT NULL AS is_app, deleted_at IS NULL AS is_live FROM workflows
         WHERE app_of_id = $1 OR copied_from_id = $1 ORDER BY id FOR NO KEY UPDATE`,
        [workflowId],
      );
      const sharees = new Set([...known.map(({ owner_id: id }) => id), ...people.map(({ id }) => id)]);
      if (sharees.size > MAX_SHAREES)
        throw new ConflictError(`A workflow can be shared with at most ${MAX_SHAREES} people.`, {
          code: 'sharee_limit_reached',
        });
      const sharer = toDisplayName(await getRecipient(tx, actor.userId));
      const receipts: OutboxReceipt[] = [];
      const lost: string[] = [];
      for (const person of people) {
        const theirs = known.filter(({ owner_id: id }) => id === person.id);
        if (theirs.some(({ is_app: isApp, is_live: isLive }) => isLive && isApp === asApp)) continue;
        lost.push(...(await this.give(tx, { actor, workflowId, person, asApp, theirs })));
        const template = asApp ? 'workflow-app-received' : 'workflow-copy-received';
        receipts.push(...(await this.notices.write(template, person, { sharer, workflow: workflow.name }, tx)));
        await this.record('workflow.shared', actor, person, workflowId, { only_view_in_apps: asApp }, tx);
      }
      return { outcome: { done: people.map(addressOf), invited, notFound }, receipts, lost };
    });
    this.notices.publish(receipts);
    for (const id of lost) this.announceLoss(id);
    return outcome;
  }

  /** Takes apps and invitations back; copies stay with their receivers, and are no longer counted as shared. @throws as `share`. */
  async unshare(actor: Actor, workflowId: string, emails: readonly string[]): Promise<SharingOutcome> {
    const { outcome, lost } = await this.dataSource.transaction(async (tx) => {
      await lockOwnWorkflow(tx, actor.userId, workflowId);
      const { people, notFound, addressOf } = await findAddressed(tx, emails, actor.userId, null);
      const withdrawn = await withdrawInvitations(tx, ['app', 'copy'], workflowId, emails);
      const done: string[] = [];
      const strangers: string[] = [];
      const lost: string[] = [];
      for (const person of people) {
        const given = await this.takeBack(tx, workflowId, person.id);
        const isInvited = withdrawn.includes(person.email.toLowerCase());
        (given === null && !isInvited ? strangers : done).push(addressOf(person));
        if (given === null) continue;
        lost.push(...given);
        await this.record('workflow.unshared', actor, person, workflowId, {}, tx);
      }
      const isWithdrawn = (address: string) => withdrawn.includes(address.toLowerCase());
      done.push(...notFound.filter(isWithdrawn));
      strangers.push(...notFound.filter((address) => !isWithdrawn(address)));
      return { outcome: { done, invited: [], notFound: strangers }, lost };
    });
    for (const id of lost) this.announceLoss(id);
    return outcome;
  }

  /** Closes the sockets of an app that was taken back, and stops what its runs do. */
  announceLoss(appId: string): void {
    this.announcer.nodesChanged(appId, 0);
    this.live.publish(`workflow:${appId}`, { type: 'access_changed', userId: 0 });
  }

  /** @returns apps that were taken back for it. */
  private async give(
    tx: EntityManager,
    given: { actor: Actor; workflowId: string; person: Recipient; asApp: boolean; theirs: readonly Share[] },
  ): Promise<string[]> {
    const { actor, workflowId, person, asApp, theirs } = given;
    const request = { sourceId: workflowId, sharerId: actor.userId, receiverId: person.id };
    const app = theirs.find(({ is_app: isApp }) => isApp);
    // A copy counts as shared once, and not beside an app.
    await tx.query('UPDATE workflows SET copied_from_id = NULL WHERE copied_from_id = $1 AND owner_id = $2', [
      workflowId,
      person.id,
    ]);
    if (!asApp) {
      await this.copies.writeCopy(tx, request);
      return app?.is_live ? takeAppsBack(tx, 'withdrawn', 'a.id = $1', app.id) : [];
    }
    if (!app) await this.copies.writeApp(tx, request);
    else
      await tx.query(
        `UPDATE workflows SET app_state = 'shared', deleted_at = NULL, purge_at = NULL, sharer_id = $2 WHERE id = $1`,
        [app.id, actor.userId],
      );
    return [];
  }

  /** @returns the apps that were taken back; null when nothing was shared. */
  private async takeBack(tx: EntityManager, workflowId: string, receiverId: number): Promise<string[] | null> {
    const [, copies] = await tx.query<[unknown, number]>(
      'UPDATE workflows SET copied_from_id = NULL WHERE copied_from_id = $1 AND owner_id = $2',
      [workflowId, receiverId],
    );
    const [app] = await tx.query<{ id: string }[]>(
      `SELECT id FROM workflows WHERE app_of_id = $1 AND owner_id = $2 AND app_state <> 'withdrawn'`,
      [workflowId, receiverId],
    );
    if (!app) return copies > 0 ? [] : null;
    return takeAppsBack(tx, 'withdrawn', 'a.id = $1', app.id);
  }

  private record(
    action: 'workflow.shared' | 'workflow.unshared',
    actor: Actor,
    { id, username }: Recipient,
    workflowId: string,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    const target = `workflow:${workflowId}`;
    return this.audit.record({ action, actor, subjectId: id, target, details: { user: username, ...details } }, tx);
  }
}

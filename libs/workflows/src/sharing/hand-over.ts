import { removeInvitationsTo } from '@app/access';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type StoppedRuns, stopAllRuns } from '../deletion/stop-all-runs.js';
import { skipWaitingSlots } from '../deletion/schedules-part.js';
import { WebhookCredentials } from '../webhooks/webhook-credentials.js';
import { takeAppsBack } from '../deletion/shared-apps-part.js';
import { untag } from './sharing-people.js';

const DETAIL = 'The workflow was handed over.';

export interface HandedOver {
  stopped: StoppedRuns;
  lostApps: string[];
  /** Those who may have lost their access. */
  formerIds: number[];
}

/**
 * Nodes go on acting as who last changed them, until the new owner adopts them. Nothing that the former owner or others can still pull survives unseen:
 * runs stop, what waits is cancelled, schedules pause, webhook credentials are made anew, and secrets, which were the
 * former owner's, are deleted. The new owner starts again what is wanted.
 */
@Injectable()
export class HandOver {
  constructor(private readonly credentials: WebhookCredentials) {}

  /** The caller has locked the workflow's row. */
  async carryOut(
    tx: EntityManager,
    { workflowId, fromId, toId, keepPeople }: { workflowId: string; fromId: number; toId: number; keepPeople: boolean },
  ): Promise<HandedOver> {
    // Made in the name of the former owner.
    await removeInvitationsTo(tx, workflowId);
    const stopped = await stopAllRuns(workflowId, 'transferred', DETAIL, tx);
    await tx.query(
      `UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = $2
       WHERE workflow_id = $1 AND status = 'pending'`,
      [workflowId, DETAIL],
    );
    await skipWaitingSlots(workflowId, tx);
    await tx.query(
      `UPDATE workflow_schedules SET state = 'paused', enabled = false, next_run_at = NULL, due_at = NULL,
         claimed_until = NULL, version = version + 1
       WHERE workflow_id = $1 AND state IN ('active', 'error')`,
      [workflowId],
    );
    await tx.query('DELETE FROM workflow_secrets WHERE workflow_id = $1', [workflowId]);
    await tx.query('DELETE FROM workflow_webhooks WHERE workflow_id = $1', [workflowId]);
    await this.credentials.create(tx, workflowId, null);
    const formerIds = await this.changePeople(tx, workflowId, fromId, toId, keepPeople);
    const ofReceiver = `a.app_of_id = $1 AND a.owner_id = ${toId}`;
    const lostApps = await takeAppsBack(
      tx,
      'withdrawn',
      keepPeople ? ofReceiver : `a.app_of_id = $1 AND a.app_state <> 'withdrawn'`,
      workflowId,
    );
    await tx.query('UPDATE workflows SET sharer_id = $2 WHERE app_of_id = $1', [workflowId, toId]);
    await tx.query(
      `UPDATE workflows SET owner_id = $2, pending_requests = 0, sharer_id = NULL, copied_from_id = NULL, updated_at = now()
       WHERE id = $1`,
      [workflowId, toId],
    );
    return { stopped, lostApps, formerIds };
  }

  private async changePeople(
    tx: EntityManager,
    workflowId: string,
    fromId: number,
    toId: number,
    keepPeople: boolean,
  ): Promise<number[]> {
    const [removed] = await tx.query<[{ user_id: number }[], number]>(
      `DELETE FROM workflow_collaborators WHERE workflow_id = $1 AND (user_id = $2 OR NOT $3) RETURNING user_id`,
      [workflowId, toId, keepPeople],
    );
    const former = removed.map(({ user_id: id }) => id).filter((id) => id !== toId);
    if (keepPeople) {
      await tx.query(`INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, 'editor')`, [
        workflowId,
        fromId,
      ]);
    } else {
      former.push(fromId);
      await untag(tx, workflowId, former);
    }
    return former;
  }
}

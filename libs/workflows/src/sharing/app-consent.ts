import { AuditLog } from '@app/audit';
import { InvalidRequestError, toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { WorkflowAccess } from '../access/workflow-access.js';
import { type AppOffer, consentRequired, SharedApps } from '../access/shared-apps.js';
import type { Actor } from './sharing-people.js';

/** What the receiver of an app agrees to: the kinds that reach their own things, and the hosts that it sends to. */
@Injectable()
export class AppConsent {
  constructor(
    private readonly access: WorkflowAccess,
    private readonly apps: SharedApps,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError; InvalidRequestError `not_an_app` */
  async get(userId: number, appId: string): Promise<AppOffer> {
    await this.access.require(userId, appId, 'see');
    const offer = await this.apps.bringUpToDate(appId);
    if (!offer) throw new InvalidRequestError('This workflow is no app.', { code: 'not_an_app' });
    return offer;
  }

  /**
   * Agrees to what the revision reaches. Twice is once.
   * @throws as `get`; ConflictError `consent_required` when another revision is on offer by now
   */
  async give(actor: Actor, appId: string, revision: number): Promise<AppOffer> {
    const offer = await this.get(actor.userId, appId);
    if (offer.revision !== revision) throw consentRequired(offer);
    if (!offer.isAsking) return offer;
    const { kinds, hosts } = offer.needed;
    const agreed = { revision, kinds, hosts, at: new Date().toISOString() };
    await this.access.writeAs({ userId: actor.userId, workflowId: appId, needed: 'see' }, async (tx) => {
      await tx.query('UPDATE workflows SET app_consent = $3::jsonb WHERE id = $1 AND owner_id = $2', [
        appId,
        actor.userId,
        toJsonText(agreed),
      ]);
      const target = `workflow:${appId}`;
      const details = { revision, kinds, hosts };
      await this.audit.record({ action: 'workflow.app_agreed', actor, target, details }, tx);
    });
    return this.get(actor.userId, appId);
  }
}

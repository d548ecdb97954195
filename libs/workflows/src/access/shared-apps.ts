import { ConflictError } from '@app/common';
import { LiveBus } from '@app/live';
import { coversReach, type ReachSummary, summariseReach, ToolCatalogue } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RevisionCache } from '../revisions/revision-cache.js';

/** What the receiver of an app agreed to, and when. */
export interface AppAgreement extends ReachSummary {
  revision: number;
  at: string;
}

/** An app and what it follows. Revisions are those of the workflow that it comes from. */
export interface AppOffer {
  /** The newest that there is for the receiver. */
  revision: number;
  /** The one that runs. */
  installed: number;
  /** What the newest reaches. */
  needed: ReachSummary;
  /** The newest asks for more than its receiver agreed to. */
  isAsking: boolean;
  /** Whether the one that is installed may run. */
  mayRun: boolean;
  agreed: AppAgreement | null;
}

interface OfferRow {
  source_id: string;
  content_revision: number;
  installed: number;
  offered: number;
  agreed: AppAgreement | null;
}

/**
 * Apps are copies that follow the workflow they come from: its published revision, or its newest. They act with the rights
 * of their receiver, so one that reaches more than the receiver agreed to waits, and the last agreed one stays.
 */
@Injectable()
export class SharedApps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly revisions: RevisionCache,
    private readonly catalogue: ToolCatalogue,
  ) {}

  /**
   * Called before a use of the app, so that saving a workflow costs nothing for those who received it.
   * @returns null for what is no app, or has nothing to follow any more.
   */
  async bringUpToDate(appId: string): Promise<AppOffer | null> {
    const [row] = await this.dataSource.query<OfferRow[]>(
      `SELECT s.id AS source_id, a.content_revision, a.app_revision AS installed, a.app_consent AS agreed,
         coalesce(s.published_revision, s.content_revision) AS offered
       FROM workflows a JOIN workflows s ON s.id = a.app_of_id AND s.deleted_at IS NULL
       WHERE a.id = $1 AND a.deleted_at IS NULL`,
      [appId],
    );
    if (!row) return null;
    const { installed, offered, agreed } = row;
    const current = await this.reachOf(appId, row.content_revision);
    const mayRun = coversReach(agreed, current);
    if (installed === offered) {
      return { revision: offered, installed, needed: current, isAsking: !mayRun, mayRun, agreed };
    }
    const needed = await this.reachOf(row.source_id, offered);
    const isCovered = coversReach(agreed, needed);
    // What may not run anyway has nothing to lose by a newer one, which is then what is asked about.
    const isTaken = isCovered || !mayRun;
    if (isTaken) await this.install(appId, offered);
    return {
      revision: offered,
      installed: isTaken ? offered : installed,
      needed,
      isAsking: !isCovered,
      mayRun: isTaken ? isCovered : mayRun,
      agreed,
    };
  }

  /** @throws ConflictError `consent_required` with `kinds`, `hosts` and `revision` */
  async requireAgreement(appId: string): Promise<void> {
    const offer = await this.bringUpToDate(appId);
    if (offer && !offer.mayRun) throw consentRequired(offer);
  }

  private async reachOf(workflowId: string, contentRevision: number): Promise<ReachSummary> {
    return summariseReach((await this.revisions.get(workflowId, contentRevision)).jsonSpec, this.catalogue);
  }

  private async install(appId: string, revision: number): Promise<void> {
    const [written] = await this.dataSource.query<{ content_revision: number }[]>(
      `WITH source AS (
         SELECT a.id AS app_id, s.*, v.content_revision AS revision, v.json_spec
         FROM workflows a JOIN workflows s ON s.id = a.app_of_id AND s.deleted_at IS NULL
         JOIN workflow_revisions v ON v.workflow_id = s.id AND v.content_revision = $2
         WHERE a.id = $1 AND a.deleted_at IS NULL AND a.app_revision <> v.content_revision),
       updated AS (
         UPDATE workflows a SET content_revision = a.content_revision + 1, app_revision = s.revision, name = s.name,
           subtitle = s.subtitle, description = s.description, summary = s.summary, instructions = s.instructions,
           csv_dashboard = s.csv_dashboard, chatbot_app = s.chatbot_app, updated_at = now()
         FROM source s WHERE a.id = s.app_id AND a.app_revision <> s.revision RETURNING a.id, a.content_revision)
       INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec)
       SELECT u.id, u.content_revision, s.name, s.json_spec FROM updated u JOIN source s ON s.app_id = u.id
       RETURNING content_revision`,
      [appId, revision],
    );
    if (!written) return;
    this.live.publish(`workflow:${appId}`, {
      type: 'definition_updated',
      contentRevision: written.content_revision,
      actor: null,
    });
  }
}

export function consentRequired({ revision, needed }: AppOffer): ConflictError {
  return new ConflictError('This app reaches things of yours. Agree to it first.', {
    code: 'consent_required',
    extra: { kinds: needed.kinds, hosts: needed.hosts, revision },
  });
}

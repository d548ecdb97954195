import { cutText } from '@app/common';
import { workflowRole } from '@app/access';
import { coversReach, type ReachSummary, ToolError } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** An answer serves the node starts of so many milliseconds in one run: who is removed acts no longer than that. */
const FRESH_MS = 250;
const MAX_KNOWN = 10_000;

/** Whether people may still act in a workflow; asked when a node of theirs starts. */
@Injectable()
export class ActorRights {
  private readonly known = new Map<string, { asked: Promise<boolean>; until: number }>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param runId what is known is known for this run alone.
   * @throws ToolError `actor_lost_access`
   */
  async requireActor(runId: string, workflowId: string, userId: number | null): Promise<void> {
    if (userId !== null && (await this.remember(`${runId}:${userId}`, () => this.isActor(workflowId, userId)))) return;
    const who =
      userId === null ? 'Nobody stands for this node' : 'Who last changed this node may not work here any more';
    throw new ToolError('actor_lost_access', `${who}; the owner of the workflow has to adopt it.`, false);
  }

  /** @throws ToolError `consent_required` for an app whose receiver has not agreed to what it reaches */
  async requireConsent(runId: string, workflowId: string, needed: ReachSummary): Promise<void> {
    if (await this.remember(`${runId}:app`, () => this.isAgreed(workflowId, needed))) return;
    const message = `You have not agreed to what this app reaches: ${[...needed.kinds, ...needed.hosts].join(', ')}.`;
    throw new ToolError('consent_required', cutText(message, 900), false);
  }

  /** Whether the person may run the workflow. */
  async mayRun(userId: number, workflowId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<unknown[]>(
      `SELECT FROM workflows w WHERE w.id = $2 AND w.deleted_at IS NULL
         AND ${workflowRole('w', '$1')} IN ('owner', 'editor', 'runner')`,
      [userId, workflowId],
    );
    return row !== undefined;
  }

  private async isActor(workflowId: string, userId: number): Promise<boolean> {
    const [row] = await this.dataSource.query<unknown[]>(
      `SELECT FROM workflows w JOIN users u ON u.id = $1 AND u.is_active
       WHERE w.id = $2 AND ${workflowRole('w', '$1')} IN ('owner', 'editor', 'runner')`,
      [userId, workflowId],
    );
    return row !== undefined;
  }

  private async isAgreed(workflowId: string, needed: ReachSummary): Promise<boolean> {
    const [row] = await this.dataSource.query<{ is_app: boolean; app_consent: ReachSummary | null }[]>(
      'SELECT app_of_id IS NOT NULL AS is_app, app_consent FROM workflows WHERE id = $1',
      [workflowId],
    );
    return row !== undefined && (!row.is_app || coversReach(row.app_consent, needed));
  }

  private remember(key: string, ask: () => Promise<boolean>): Promise<boolean> {
    const now = performance.now();
    const hit = this.known.get(key);
    if (hit && hit.until > now) return hit.asked;
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    const asked = ask();
    this.known.set(key, { asked, until: now + FRESH_MS });
    // A question that failed is asked again.
    asked.catch(() => this.known.delete(key));
    return asked;
  }
}

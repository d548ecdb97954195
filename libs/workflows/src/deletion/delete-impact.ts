import { NotFoundError } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';
import type { DeletionImpact } from './workflow-part.js';
import { WorkflowParts } from './workflow-parts.js';

export interface ImpactReport extends DeletionImpact {
  workflow: { id: string; name: string; is_trashed: boolean };
}

/** What a workflow cannot have made before the issues that bring these things, and what nobody has counted yet. */
const UNCOUNTED: DeletionImpact = {
  artifacts: { count: null, bytes: null, sample: [] },
  charts: { count: null, sample: [] },
  dashboards: { emptied: null },
  chat_sessions: { count: 0, sample: [] },
  run_history: { versions: null },
  dashboard_documents: { count: 0 },
  spec_revisions: null,
  schedules: [],
  queued_webhook_runs: null,
  node_runs: null,
  extractor_tables_deleted: null,
};

/** Says beforehand what a permanent delete takes along (docs/contract/workflows.md#trash). */
@Injectable()
export class DeleteImpact {
  private readonly logger = new Logger(DeleteImpact.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly parts: WorkflowParts,
  ) {}

  /** In the trash or not. Fields of a part that fails stay null. @throws NotFoundError, ForbiddenError for others. */
  async report(userId: number, workflowId: string): Promise<ImpactReport> {
    const [workflow] = await this.dataSource.query<ImpactReport['workflow'][]>(
      'SELECT id, name, deleted_at IS NOT NULL AS is_trashed FROM workflows WHERE id = $1',
      [workflowId],
    );
    if (!workflow) throw new NotFoundError();
    await this.access.require(userId, workflowId, 'discard', { trashed: workflow.is_trashed });
    const counted = await Promise.all(
      this.parts.list().map(async (part): Promise<Partial<DeletionImpact>> => {
        try {
          return (await part.countFor?.(workflowId, this.dataSource)) ?? {};
        } catch (error) {
          this.logger.warn(`${part.name} of ${workflowId} could not be counted: ${String(error)}`);
          return {};
        }
      }),
    );
    return Object.assign({ workflow, ...UNCOUNTED }, ...counted) as ImpactReport;
  }
}

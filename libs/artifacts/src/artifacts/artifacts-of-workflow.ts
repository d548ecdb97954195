import { findWorkflowOwner } from '@app/access';
import { type DeletedPart, type DeletionImpact, type WorkflowPart, WorkflowParts } from '@app/workflows';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { ArtifactRemoval } from './artifact-removal.js';

const SAMPLE = 5;

/**
 * Artifacts that a workflow published go with it for good, as long as they belong to its owner: what somebody else has published
 * with a workflow that is shared with them is theirs.
 */
@Injectable()
export class ArtifactsOfWorkflow implements WorkflowPart, OnModuleInit {
  readonly name = 'artifacts';
  readonly tables = ['artifacts'];
  /** Before charts: whoever changes a tile takes its artifact, then its board. */
  readonly order = 45;

  constructor(
    private readonly workflows: WorkflowParts,
    private readonly removal: ArtifactRemoval,
  ) {}

  onModuleInit(): void {
    this.workflows.register(this);
  }

  async countFor(workflowId: string, db: DataSource | EntityManager): Promise<Pick<DeletionImpact, 'artifacts'>> {
    const [artifacts] = await db.query<[{ count: number; bytes: number; sample: string[] }]>(
      `SELECT count(*)::int AS count, coalesce(sum((SELECT sum(octet_length(v.html)) FROM artifact_versions v
           WHERE v.artifact_id = a.id)), 0)::float8 AS bytes,
         (coalesce(array_agg(a.title ORDER BY a.id), '{}'))[1:${SAMPLE}] AS sample
       FROM artifacts a WHERE a.workflow_id = $1 AND a.owner_id = $2`,
      [workflowId, await findWorkflowOwner(db, workflowId)],
    );
    return { artifacts };
  }

  async deleteFor(workflowId: string, tx: EntityManager): Promise<DeletedPart> {
    const artifacts = await tx.query<{ id: string }[]>(
      'SELECT id FROM artifacts WHERE workflow_id = $1 AND owner_id = $2 ORDER BY id FOR NO KEY UPDATE',
      [workflowId, await findWorkflowOwner(tx, workflowId)],
    );
    for (const { id } of artifacts) await this.removal.remove(id, tx);
    await tx.query('UPDATE artifacts SET workflow_id = NULL WHERE workflow_id = $1', [workflowId]);
    return { counts: { artifacts: artifacts.length } };
  }
}

import { NotFoundError, toJsonText } from '@app/common';
import { actorsAfter, asStored, NodeActors, type StoredActors, ToolCatalogue } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DefinitionState, summariseChanges } from './change-summary.js';

export interface NewRevision {
  name: string;
  jsonSpec: Record<string, unknown>;
  /** Absent: as it is now. */
  vueflowJson?: Record<string, unknown>;
  /** The revision that the editor last read; absent: whatever is there. */
  expectedContentRevision?: number;
  /** In place of what the comparison with the revision before says. */
  changeSummary?: string;
}

export interface WrittenRevision {
  contentRevision: number;
  /** `running` when a run was in flight: it keeps its own revision. */
  warning: 'running' | null;
}

/**
 * The one way in which a definition changes: always a new revision, never over one that somebody has not seen. Whose each
 * node is follows from it: what was not touched stays with who made it.
 */
@Injectable()
export class RevisionWriter {
  constructor(private readonly catalogue: ToolCatalogue) {}

  /** Revision 1 of a workflow whose row the caller has just written. */
  async writeFirst(tx: EntityManager, userId: number, workflowId: string, state: DefinitionState): Promise<void> {
    await insert(tx, {
      userId,
      workflowId,
      contentRevision: 1,
      state,
      changeSummary: summariseChanges(null, state),
      actors: NodeActors.allOf(userId),
    });
  }

  /** Null when there is a newer revision than the expected one. @throws NotFoundError outside of what is there. */
  async write(
    tx: EntityManager,
    userId: number,
    workflowId: string,
    revision: NewRevision,
  ): Promise<WrittenRevision | null> {
    // Locked by itself: joined with its revision, a row that changed while this waited would not be found again.
    const [known] = await tx.query<{ content_revision: number; owner_id: number }[]>(
      'SELECT content_revision, owner_id FROM workflows WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [workflowId],
    );
    if (!known) throw new NotFoundError();
    const current = known.content_revision;
    if ((revision.expectedContentRevision ?? current) !== current) return null;
    const [before] = await tx.query<(DefinitionState & { isActive: boolean; actsAs: StoredActors | null })[]>(
      `SELECT v.name, v.json_spec AS "jsonSpec", v.vueflow_json AS "vueflowJson", v.acts_as AS "actsAs", EXISTS (
         SELECT 1 FROM workflow_runs r WHERE r.workflow_id = $1 AND r.status IN ('PENDING', 'RUNNING')) AS "isActive"
       FROM workflow_revisions v WHERE v.workflow_id = $1 AND v.content_revision = $2`,
      [workflowId, current],
    );
    const { name, jsonSpec } = revision;
    const state = { name, jsonSpec, vueflowJson: revision.vueflowJson ?? before?.vueflowJson ?? {} };
    const summary = revision.changeSummary ?? summariseChanges(before ?? null, state);
    await tx.query(
      `UPDATE workflows SET name = $2, content_revision = $3, last_edited_by_id = $4, last_edited_at = now(),
         updated_at = now() WHERE id = $1`,
      [workflowId, name, current + 1, userId],
    );
    const acted = before && { jsonSpec: before.jsonSpec, actors: NodeActors.from(before.actsAs, known.owner_id) };
    const actors = actorsAfter(acted ?? null, asStored(jsonSpec), userId, this.catalogue);
    await insert(tx, { userId, workflowId, contentRevision: current + 1, state, changeSummary: summary, actors });
    return { contentRevision: current + 1, warning: before?.isActive ? 'running' : null };
  }
}

async function insert(
  tx: EntityManager,
  revision: {
    userId: number;
    workflowId: string;
    contentRevision: number;
    state: DefinitionState;
    changeSummary: string;
    actors: NodeActors;
  },
): Promise<void> {
  const { userId, workflowId, contentRevision, state, changeSummary, actors } = revision;
  await tx.query(
    `INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec, vueflow_json, created_by_id,
       change_summary, acts_as)
     VALUES ($1, $2, $3, $4::json, $5::jsonb, $6, $7, $8::jsonb)`,
    [
      workflowId,
      contentRevision,
      state.name,
      toJsonText(state.jsonSpec),
      toJsonText(state.vueflowJson),
      userId,
      changeSummary,
      toJsonText(actors.toStored()),
    ],
  );
}

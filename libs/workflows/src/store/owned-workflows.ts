import {
  exportedObject,
  exportedRow,
  type ExportedFile,
  type OwnedData,
  placeOf,
  type ReadExported,
} from '@app/erasure';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { OutputFiles } from '../outputs/output-files.js';
import { WorkflowDestruction } from '../deletion/workflow-destruction.js';
import { OUTPUT_COLUMNS, REVISION_COLUMNS, SCHEDULE_COLUMNS, WORKFLOW_COLUMNS } from './workflow-export-columns.js';

const BATCH = 20;
/** Runs and outputs, each of up to megabytes, that are read at once for an export. */
const PAGE = 20;
const DETAIL = 'The account was deleted.';

/** Workflows with their runs, requests, webhooks and outputs; memberships; and the name on what others own. */
@Injectable()
export class OwnedWorkflows implements OwnedData {
  readonly name = 'workflows';
  readonly tables = [
    'workflows',
    'workflow_collaborators',
    'workflow_revisions',
    'workflow_runs',
    'workflow_signals',
    'workflow_schedules',
    'workflow_tags',
  ];
  readonly columns = [WORKFLOW_COLUMNS, REVISION_COLUMNS, SCHEDULE_COLUMNS, OUTPUT_COLUMNS];
  /** Before documents, which its runs may be reading. */
  readonly order = 20;

  constructor(
    private readonly dataSource: DataSource,
    private readonly destruction: WorkflowDestruction,
    private readonly files: OutputFiles,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM workflows WHERE owner_id = $1)::int
            + (SELECT count(*) FROM workflow_collaborators WHERE user_id = $1)::int
            + (SELECT count(*) FROM workflow_tags WHERE owner_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const workflows = await tx.query<{ id: string }[]>(
      'SELECT id FROM workflows WHERE owner_id = $1 LIMIT $2 FOR UPDATE',
      [userId, BATCH],
    );
    if (workflows.length === 0) return this.leaveOthers(userId, tx);
    // Nothing of the account may be left for a sweeper.
    await this.files.remove(
      workflows.map(({ id }) => id),
      tx,
    );
    for (const { id } of workflows) {
      // Announced before the commit: a worker that hears it too early stops for what is about to be true.
      this.destruction.announce(await this.destruction.destroy(id, DETAIL, tx));
    }
    // An erasure that cannot do this yet is tried again.
    await this.destruction.forgetEvents(workflows.map(({ id }) => id));
    return workflows.length;
  }

  /** Of a received app without the definition, which is the sharer's. */
  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const workflows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM workflows WHERE owner_id = $1 ORDER BY created_at, id',
      [userId],
    );
    for (const { id } of workflows) {
      const [found] = await this.dataSource.query<{ workflow: object; parts: object }[]>(
        `SELECT ${exportedRow(WORKFLOW_COLUMNS, 'w')} AS workflow, json_build_object(
           'definition', (SELECT ${exportedRow(REVISION_COLUMNS, 'r', 'json')} FROM workflow_revisions r
                          WHERE r.workflow_id = w.id AND w.app_of_id IS NULL ORDER BY r.content_revision DESC LIMIT 1),
           'tags', (SELECT coalesce(json_agg(t.name ORDER BY t.name), '[]') FROM workflow_tags t
                    JOIN workflow_tag_links l ON l.tag_id = t.id WHERE l.workflow_id = w.id AND t.owner_id = w.owner_id),
           'schedules', (SELECT coalesce(json_agg(${exportedRow(SCHEDULE_COLUMNS, 's', 'json')} ORDER BY s.created_at), '[]') FROM workflow_schedules s
                         WHERE s.workflow_id = w.id)
         ) AS parts FROM workflows w WHERE w.id = $1`,
        [id],
      );
      // Deleted since.
      if (!found) continue;
      const lists = { runs: this.runsOf(id), outputs: this.outputsOf(id) };
      yield { path: `workflows/${id}.json`, content: exportedObject({ ...found.workflow, ...found.parts }, lists) };
      for (const { path, open } of await this.files.listKept(id))
        yield { path: `workflows/${id}/outputs/${path}`, content: open };
    }
  }

  private runsOf(workflowId: string): ReadExported {
    return (after) =>
      this.dataSource.query<{ cursor: string; row: unknown }[]>(
        `SELECT r.version::text AS cursor, json_build_object('version', r.version, 'status', r.status, 'trigger', r.trigger,
           'payload', r.payload, 'created_at', r.created_at, 'finished_at', r.finished_at) AS row
         FROM workflow_runs r WHERE r.workflow_id = $1 AND ($2::text IS NULL OR r.version > $2::int)
         ORDER BY r.version LIMIT ${PAGE}`,
        [workflowId, after],
      );
  }

  private outputsOf(workflowId: string): ReadExported {
    return (after) =>
      this.dataSource.query<{ cursor: string; row: unknown }[]>(
        `SELECT concat_ws(' ', o.id, o.created_at) AS cursor, ${exportedRow(OUTPUT_COLUMNS, 'o', 'json')} AS row
         FROM workflow_outputs o WHERE o.workflow_id = $1 AND ($2::text IS NULL OR (o.created_at, o.id) > ($3::timestamptz, $2::uuid))
         ORDER BY o.created_at, o.id LIMIT ${PAGE}`,
        [workflowId, ...placeOf(after)],
      );
  }

  private async leaveOthers(userId: number, tx: EntityManager): Promise<number> {
    const shared = await tx.query<{ id: string }[]>(
      `SELECT workflow_id AS id FROM workflow_collaborators WHERE user_id = $1
       UNION SELECT id FROM workflows WHERE last_edited_by_id = $1`,
      [userId],
    );
    await this.destruction.forgetEvents(shared.map(({ id }) => id));
    const [, memberships] = await tx.query<[unknown, number]>('DELETE FROM workflow_collaborators WHERE user_id = $1', [
      userId,
    ]);
    await this.forgetAnswers(userId, tx);
    for (const [table, column] of [
      ['workflows', 'last_edited_by_id'],
      ['workflows', 'sharer_id'],
      ['workflow_revisions', 'created_by_id'],
      ['workflow_runs', 'triggered_by_id'],
      ['workflow_signals', 'answered_by_id'],
      ['workflow_schedules', 'created_by_id'],
    ])
      await tx.query(`UPDATE ${table} SET ${column} = NULL WHERE ${column} = $1`, [userId]);
    const [, tags] = await tx.query<[unknown, number]>('DELETE FROM workflow_tags WHERE owner_id = $1', [userId]);
    return memberships + tags;
  }

  /** What was answered stays, with whoever's workflow asked; by whom does not. */
  private async forgetAnswers(userId: number, tx: EntityManager): Promise<void> {
    for (const [table, column] of [
      ['workflow_run_nodes', 'output'],
      ['workflow_outputs', 'value'],
    ])
      await tx.query(
        `UPDATE ${table} t SET ${column} = jsonb_set(t.${column}::jsonb, '{answered_by}', 'null')::json FROM workflow_signals s
         WHERE s.answered_by_id = $1 AND t.run_id = s.run_id AND t.node_id = s.node_id
           AND t.${column}->'answered_by'->>'id' = $1::text`,
        [userId],
      );
    await tx.query(`UPDATE workflow_signals SET value = value - 'answeredBy' WHERE answered_by_id = $1`, [userId]);
  }
}

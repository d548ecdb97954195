import { toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';
import { deleteInBatches } from './delete-in-batches.js';
import type { WorkflowPart } from './workflow-part.js';
import {
  SCHEDULE_COLUMNS,
  SCHEDULE_SOURCES,
  type ScheduleRow,
  toScheduleRecord,
} from '../schedules/schedule-record.js';
import { replan } from '../schedules/schedule-plan.js';

const OF_WORKFLOW = 'schedule_id IN (SELECT id FROM workflow_schedules WHERE workflow_id = $1)';
const DETAIL = 'The workflow was moved to the trash.';

/** Schedules: in the trash they have no next run; taken out of it they go on from now, without catching up. */
export const schedulesPart: WorkflowPart = {
  name: 'schedules',
  tables: ['workflow_schedules', 'workflow_schedule_slots'],
  async countFor(workflowId, db) {
    const rows = await db.query<{ name: string }[]>(
      'SELECT name FROM workflow_schedules WHERE workflow_id = $1 ORDER BY created_at, id',
      [workflowId],
    );
    return { schedules: rows.map(({ name }) => name) };
  },
  async deleteFor(workflowId, tx) {
    await deleteInBatches(tx, 'workflow_schedule_slots', OF_WORKFLOW, [workflowId]);
    return { counts: { schedules: await deleteInBatches(tx, 'workflow_schedules', 'workflow_id = $1', [workflowId]) } };
  },
  async trash(workflowId, tx) {
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE workflow_schedules SET next_run_at = NULL, due_at = NULL, claimed_until = NULL, version = version + 1
       WHERE workflow_id = $1 AND next_run_at IS NOT NULL`,
      [workflowId],
    );
    await skipWaitingSlots(workflowId, tx);
    await tx.query(
      `SELECT workflow_stop_run(id, $2, $3::jsonb) FROM workflow_runs
       WHERE workflow_id = $1 AND schedule_id IS NOT NULL AND is_concurrent AND status IN ('PENDING', 'RUNNING')`,
      [workflowId, DETAIL, toJsonText({ nodeId: null, code: 'trashed', message: DETAIL })],
    );
    return { paused_schedules: count };
  },
  async restore(workflowId, tx) {
    const rows = await tx.query<ScheduleRow[]>(
      `SELECT ${SCHEDULE_COLUMNS} FROM ${SCHEDULE_SOURCES} WHERE s.workflow_id = $1 AND s.state = 'active' FOR NO KEY UPDATE OF s`,
      [workflowId],
    );
    for (const row of rows) await resume(row, tx);
  },
};

/** For who takes all of a workflow's waiting requests back: no slot stands in line any more. */
export async function skipWaitingSlots(workflowId: string, tx: EntityManager): Promise<void> {
  await tx.query(
    `UPDATE workflow_schedules SET last_status = 'SKIPPED' WHERE workflow_id = $1 AND last_status = 'PENDING'`,
    [workflowId],
  );
}

async function resume(row: ScheduleRow, tx: EntityManager): Promise<void> {
  const { nextRunAt, dueAt } = replan(toScheduleRecord(row), Date.now());
  await tx.query(`UPDATE workflow_schedules SET next_run_at = $2, due_at = $3, version = version + 1 WHERE id = $1`, [
    row.id,
    nextRunAt,
    dueAt,
  ]);
  // Its last time lay in the days in the trash.
  if (!nextRunAt)
    await tx.query(
      `UPDATE workflow_schedules SET state = 'completed', enabled = false, missed_count = missed_count + 1,
         last_status = 'MISSED' WHERE id = $1`,
      [row.id],
    );
}

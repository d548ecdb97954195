import { findWorkflowOwner } from '@app/access';
import type { DataSource, EntityManager } from 'typeorm';
import { removeAllRows } from './row-statements.js';

/** A table that goes with the workflow that made it, as `delete-impact` shows it, in wire names. */
export interface TableOfWorkflow {
  table_id: string;
  table_name: string;
  rows_count: number;
}

/**
 * Tables that were made by a workflow go with it for good, as long as they belong to its owner: what somebody else has made
 * with a workflow that is shared with them is theirs. Shaped like a `WorkflowPart`, of which this lib knows nothing.
 */
export const tablesOfWorkflow = {
  name: 'extracted_tables',
  tables: ['extracted_tables'],

  async countFor(
    workflowId: string,
    db: DataSource | EntityManager,
  ): Promise<{ extractor_tables_deleted: TableOfWorkflow[] }> {
    const tables = await db.query<TableOfWorkflow[]>(
      `SELECT t.id AS table_id, t.name AS table_name, t.rows_count FROM extracted_tables t
       WHERE t.workflow_id = $1 AND t.owner_id = $2 ORDER BY t.id`,
      [workflowId, await findWorkflowOwner(db, workflowId)],
    );
    return { extractor_tables_deleted: tables };
  },

  async deleteFor(workflowId: string, tx: EntityManager): Promise<{ counts: { extractor_tables: number } }> {
    const tables = await tx.query<{ id: string }[]>(
      'SELECT id FROM extracted_tables WHERE workflow_id = $1 AND owner_id = $2 ORDER BY id FOR UPDATE',
      [workflowId, await findWorkflowOwner(tx, workflowId)],
    );
    for (const { id } of tables) {
      await removeAllRows(tx, id);
      await tx.query('DELETE FROM extracted_tables WHERE id = $1', [id]);
    }
    await tx.query('UPDATE extracted_tables SET workflow_id = NULL WHERE workflow_id = $1', [workflowId]);
    return { counts: { extractor_tables: tables.length } };
  },
};

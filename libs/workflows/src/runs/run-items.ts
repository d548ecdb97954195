import { toJsonText } from '@app/common';
import { type ItemState, JsonText, ToolError, writeJson } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import type { RunHandle } from './run-store.js';

interface ItemRow {
  item_index: number;
  status: ItemState['status'];
  round: number;
  output_text: string | null;
  error: ItemState['error'];
}

/** Of all items of a node together, where they are asked for. */
const MAX_OUTPUTS_BYTES = 20 * 1024 * 1024;

/** The items of batch and loop nodes. They have no version of their own: the fence of their run guards them. */
export class RunItems {
  constructor(private readonly dataSource: DataSource) {}

  async save({ runId, fence }: RunHandle, nodeId: string, items: readonly ItemState[]): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ held: boolean }]>(
      `WITH held AS MATERIALIZED (
         SELECT id FROM workflow_runs WHERE id = $1 AND fence = $2 AND status = 'RUNNING' FOR NO KEY UPDATE),
       written AS (
         INSERT INTO workflow_run_items AS known (run_id, node_id, item_index, status, round, output, error)
         SELECT held.id, $3, i.index, i.status, i.round, CASE json_typeof(i.output) WHEN 'null' THEN NULL ELSE i.output END, nullif(i.error, 'null')
         FROM held, json_to_recordset($4::json) AS i(index integer, status text, round integer, output json, error jsonb)
         ON CONFLICT (run_id, node_id, item_index) DO UPDATE SET status = excluded.status, round = excluded.round,
           output = excluded.output, error = excluded.error)
       SELECT EXISTS (SELECT 1 FROM held) AS held`,
      [runId, fence, nodeId, itemsText(items)],
    );
    return row.held;
  }

  async load(
    runId: string,
    nodeId: string,
    { withOutputs, from, to }: { withOutputs: boolean; from?: number; to?: number },
  ): Promise<ItemState[]> {
    if (withOutputs) await this.requireRoom(runId, nodeId);
    const rows = await this.dataSource.query<ItemRow[]>(
      `SELECT item_index, status, round, CASE WHEN $3 THEN output::text END AS output_text, error FROM workflow_run_items
       WHERE run_id = $1 AND node_id = $2 AND item_index >= $4 AND item_index < $5 ORDER BY item_index`,
      [runId, nodeId, withOutputs, from ?? 0, to ?? 2_147_483_647],
    );
    return rows.map(({ item_index: index, status, round, output_text: text, error }) => {
      return { index, status, round, output: text === null ? null : new JsonText(text), error };
    });
  }

  private async requireRoom(runId: string, nodeId: string): Promise<void> {
    const [row] = await this.dataSource.query<[{ bytes: string | null }]>(
      `SELECT sum(octet_length(output::text)) AS bytes FROM workflow_run_items WHERE run_id = $1 AND node_id = $2`,
      [runId, nodeId],
    );
    if (Number(row.bytes ?? 0) <= MAX_OUTPUTS_BYTES) return;
    const message = `The results of the items are larger than ${MAX_OUTPUTS_BYTES} bytes together.`;
    throw new ToolError('output_too_large', message, false);
  }
}

function itemsText(items: readonly ItemState[]): string {
  return items.some(({ output }) => output instanceof JsonText)
    ? `[${items.map(writeJson).join(',')}]`
    : toJsonText(items);
}

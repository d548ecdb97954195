import { ChartsOfNodes } from '@app/artifacts';
import { Gates } from '@app/entitlements';
import { isDrawnType } from '@app/tabular';
import { type DashboardsPort, ToolError, type Viewer } from '@app/workflow-definition';
import { findRunVersion } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { asToolError } from './as-tool-error.js';
import { keyOfNode } from './key-of-node.js';

type Asked = Parameters<DashboardsPort['addChart']>;

/** Charts on the boards of the viewer, each run the same one anew. */
@Injectable()
export class BoardCharts implements DashboardsPort {
  constructor(
    private readonly dataSource: DataSource,
    private readonly charts: ChartsOfNodes,
    private readonly gates: Gates,
  ) {}

  async addChart(viewer: Viewer, chart: Asked[1], { signal, idempotencyKey }: Asked[2]): Promise<{ mgid: string }> {
    const { boardId, title, chartType, rows } = chart;
    const { userId, workflowId = null, runId = null, turnId = null } = viewer;
    if (!/^\d{1,10}$/.test(boardId) || Number(boardId) > 2_147_483_647 || !isDrawnType(chartType))
      throw new ToolError('board_not_found', 'Board not found.', false);
    await asToolError(this.gates.requireFeature(userId, 'dashboards'));
    const runVersion = runId === null ? null : await findRunVersion(this.dataSource, runId);
    signal.throwIfAborted();
    const mgid = await asToolError(
      this.charts.show(userId, {
        boardId: Number(boardId),
        title,
        chartType,
        items: rows,
        originKey:
          workflowId === null || runId === null ? idempotencyKey : keyOfNode(workflowId, runId, idempotencyKey),
        workflowId,
        runVersion,
        turnId,
      }),
    );
    return { mgid };
  }
}

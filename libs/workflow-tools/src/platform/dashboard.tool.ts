import { defineKind, param, toolApproval, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { itemsParam } from '../params.js';

const UNAVAILABLE = 'Boards are not part of this deployment.';

export const dashboardTool = defineKind({
  kind: 'dashboard',
  feature: 'dashboards',
  version: '1.0.0',
  title: 'Show on a dashboard',
  description: 'Puts rows as a chart on one of your boards.',
  category: categories.platform,
  icon: 'layout-dashboard',
  sideEffects: 'idempotent',
  // Whoever sees the board sees what is put there.
  approval: ({ board_id: board }) => toolApproval('dashboard', String(board), 'Put a chart on one of your boards'),
  timeoutSeconds: 60,
  params: z.object({
    board_id: param(z.coerce.string().min(1).max(100), {
      label: 'Board',
      description: 'The board on which the chart stands; you have to be its owner or an editor.',
      type: 'string',
    }),
    title: param(z.string().trim().min(1).max(200), { label: 'Title', description: 'What stands above the chart.' }),
    chart_type: param(z.enum(['table', 'bar', 'line', 'area', 'pie', 'scatter', 'number']).default('table'), {
      label: 'Chart',
      description: 'How the rows are drawn; as a table where they cannot be drawn so.',
    }),
    items: itemsParam,
  }),
  output: z.object({ mgid: z.string(), title: z.string() }),
  examples: [{ board_id: '{{_output.start.board_id}}', title: 'Orders', items: [{ month: 'May', orders: 12 }] }],
  unavailableReason: ({ dashboards }) => (dashboards ? null : UNAVAILABLE),
  run: async ({ board_id: boardId, title, chart_type: chartType, items }, context) => {
    const { dashboards, viewer, signal, idempotencyKey } = context;
    if (!dashboards) throw new ToolError('dashboards_not_available', UNAVAILABLE, false);
    const chart = { boardId, title, chartType, rows: items };
    return { output: { ...(await dashboards.addChart(viewer, chart, { signal, idempotencyKey })), title } };
  },
});

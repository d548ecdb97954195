import { BadGatewayError } from '@app/common';
import { CHART_TYPES, type ChartType } from '../charts/choose-chart.js';

/** What is to be done about a question. */
export type QueryPlan =
  | { action: 'query'; sql: string; reasoning: string; chart: ChartType | 'none' | 'auto' }
  /** Ask the person back. */
  | { action: 'clarify'; reply: string; reasoning: string }
  /** The tables cannot answer it. */
  | { action: 'cannot'; reply: string; reasoning: string };

const CHARTS = ['auto', 'none', ...CHART_TYPES] as const;

/** What a model has to answer with: all keys always, as strict endpoints demand. */
export const QUERY_PLAN_SCHEMA = {
  type: 'object',
  properties: {
    reasoning: { type: 'string', description: 'One or two sentences: which tables and columns answer it, and how.' },
    action: { type: 'string', enum: ['query', 'clarify', 'cannot'] },
    sql: { type: 'string', description: 'The SELECT statement when the action is query, else empty.' },
    reply: { type: 'string', description: 'What to say to the person when the action is not query, else empty.' },
    chart: { type: 'string', enum: [...CHARTS] },
  },
  required: ['reasoning', 'action', 'sql', 'reply', 'chart'],
  additionalProperties: false,
} satisfies Record<string, unknown>;

/** @throws BadGatewayError (`model_error`) for what is no plan */
export function toQueryPlan(object: unknown): QueryPlan {
  const { reasoning, action, sql, reply, chart } = (object ?? {}) as Record<string, unknown>;
  const why = typeof reasoning === 'string' ? reasoning.trim() : '';
  if (action === 'query' && typeof sql === 'string' && sql.trim() !== '')
    return { action, sql: sql.trim().replace(/;\s*$/, ''), reasoning: why, chart: toChart(chart) };
  if ((action === 'clarify' || action === 'cannot') && typeof reply === 'string' && reply.trim() !== '')
    return { action, reply: reply.trim(), reasoning: why };
  throw new BadGatewayError('The model gave no usable plan.', { code: 'model_error' });
}

function toChart(value: unknown): ChartType | 'none' | 'auto' {
  return CHARTS.find((chart) => chart === value) ?? 'auto';
}

import { csvLine } from '../http/csv.js';
import type { PoolUsageResponse } from './usage.dto.js';

const COLUMNS = [
  'section',
  'name',
  'id',
  'own_key',
  'price_source',
  'price_version',
  'currency',
  'spend',
  'cached_spend',
  'cache_write_spend',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'requests',
  'unpriced_requests',
  'workflow_runs',
  'used',
  'limit',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

/** The same figures as lines of CSV, one table for all: `section` says of what a line is. Made as they are sent. */
export function* usageLines(usage: PoolUsageResponse): Iterable<string> {
  yield csvLine(COLUMNS);
  for (const row of rowsOf(usage)) yield csvLine(COLUMNS.map((name) => row[name] ?? null));
}

function* rowsOf(usage: PoolUsageResponse): Iterable<Row> {
  const { currency, month, storage_breakdown: storage } = usage;
  const { workflow_runs: runs, tokens } = usage;
  yield { section: 'workflow_runs', name: month, used: runs.used, limit: runs.limit };
  yield { section: 'tokens', name: month, used: tokens.used, limit: tokens.limit };
  for (const part of ['media', 'vector', 'workflow', 'total'] as const)
    yield { section: 'storage', name: part, used: storage[part], limit: part === 'total' ? storage.limit : null };
  yield { section: 'total', name: `${usage.start_date}/${usage.end_date}`, currency, ...usage.totals };
  for (const { date, ...day } of usage.daily) yield { section: 'day', name: date, currency, ...day };
  for (const { model, own_key: isOwn, ...use } of usage.by_model)
    yield { section: 'model', name: model, own_key: String(isOwn), ...use };
  for (const { workflow_id: id, name, spend, successful_runs } of usage.by_workflow)
    yield { section: 'workflow', id, name, currency, spend, workflow_runs: successful_runs };
  for (const person of usage.by_person ?? [])
    yield {
      section: 'person',
      id: person.user_id,
      name: person.username,
      currency,
      spend: person.spend,
      total_tokens: person.tokens,
      requests: person.requests,
      unpriced_requests: person.unpriced_requests,
      workflow_runs: person.workflow_runs,
    };
}

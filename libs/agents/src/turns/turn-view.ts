import type { TurnExtras, TurnQuestion, TurnStatus } from '../turn-events/turn-event.js';

/** A turn as its owner sees it. */
export interface TurnView {
  turnId: string;
  sessionId: number;
  conversationId: string;
  kind: string;
  handler: string;
  status: TurnStatus;
  question: string;
  /** As far as it was told. */
  answer: string;
  sources: unknown[];
  extras: TurnExtras | null;
  /** What it waits to be told. */
  pending: TurnQuestion | null;
  model: string;
  usage: { promptTokens: number; completionTokens: number } | null;
  error: { code: string; detail: string } | null;
  /** Turns that come before it; null unless it is queued. */
  queuePosition: number | null;
  replaces: string | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface TurnViewRow {
  id: string;
  session_id: number;
  conversation_id: string;
  kind: string;
  handler: string;
  status: TurnStatus;
  question: string;
  answer: string;
  sources: unknown[];
  result: TurnExtras | null;
  pending: TurnQuestion | null;
  is_replied: boolean;
  model: string;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  error_code: string;
  error_detail: string;
  queue_position: number | null;
  replaces: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export function toTurnView(row: TurnViewRow): TurnView {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = row;
  return {
    turnId: row.id,
    sessionId: row.session_id,
    conversationId: row.conversation_id,
    kind: row.kind,
    handler: row.handler,
    // A turn that was replied to works on, as far as its owner is concerned.
    status: row.status === 'waiting_input' && row.is_replied ? 'running' : row.status,
    question: row.question,
    answer: row.answer,
    sources: row.sources,
    extras: row.result,
    pending: row.status === 'waiting_input' && !row.is_replied ? row.pending : null,
    model: row.model,
    usage: promptTokens === null || completionTokens === null ? null : { promptTokens, completionTokens },
    error: row.status === 'failed' ? { code: row.error_code || 'internal_error', detail: row.error_detail } : null,
    queuePosition: row.queue_position,
    replaces: row.replaces,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

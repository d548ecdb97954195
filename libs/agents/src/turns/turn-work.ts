import { accountIsActive } from '@app/access';
import { executeTurnJob } from '@app/contracts';
import { defineWork } from '@app/work';
import type { TurnQuestion } from '../turn-events/turn-event.js';
import type { ClaimedTurn } from './turn-handler.js';
import { appendOne, keptAnswer, toEndData, publishedSources, publishedText } from './turn-rows.js';

/** What a claim gives. */
export interface TurnRow extends ClaimedTurn {
  pending: TurnQuestion | null;
  reply: Record<string, unknown> | null;
  /** What was replied does not stand in the log yet. */
  isReplyUntold: boolean;
}

const LOST = { code: 'worker_lost', detail: 'The work on this turn broke off too often. Please ask again.' };
const SESSION = 'FROM chat_sessions s WHERE s.id = w.session_id';
/** Of somebody who is active: work of the others rests. */
const SESSION_IS_AWAKE = `EXISTS (SELECT 1 ${SESSION} AND ${accountIsActive('s.user_id')})`;

/**
 * Turns, one of each conversation at a time. A claim takes the one at work if its worker was lost or its reply has come,
 * else the first in the queue. Columns are older than `LeasedRow`, and runners of the release before work with them.
 */
export const turnWork = defineWork<TurnRow>({
  work: 'turn',
  job: executeTurnJob,
  table: 'chat_turns',
  key: { id: 'uuid' },
  lane: { column: 'session_id', type: 'integer', order: `w.status = 'queued', w.seq` },
  lease: {
    fence: 'attempt',
    attempts: 'losses',
    leasedUntil: 'lease_expires_at',
    nextAttempt: 'wake_at',
    lastError: null,
    dueAt: `CASE w.status WHEN 'queued' THEN w.created_at WHEN 'running' THEN coalesce(w.wake_at, w.created_at)
      WHEN 'waiting_input' THEN CASE WHEN w.reply IS NULL THEN w.wake_at ELSE w.created_at END END`,
    free: 'now()',
  },
  columns: `w.id, w.attempt, w.session_id AS "sessionId", (SELECT s.conversation_id ${SESSION}) AS "conversationId",
    (SELECT s.user_id ${SESSION}) AS "userId", (SELECT s.kind ${SESSION}) AS kind, w.model_id AS "modelId", w.handler, w.question, w.request,
    w.state, w.pending, w.reply, w.pending IS NOT NULL AND coalesce((SELECT e.type = 'question' FROM chat_turn_events e
      WHERE e.turn_id = w.id AND e.type IN ('question', 'reply') ORDER BY e.seq DESC LIMIT 1), false) AS "isReplyUntold"`,
  when: `w.status IN ('queued', 'running', 'waiting_input') AND w.handler <> '' AND ${SESSION_IS_AWAKE}
    AND (w.status <> 'queued' OR NOT EXISTS (SELECT 1 FROM chat_turns o WHERE o.session_id = w.session_id AND o.handler <> ''
      AND (o.status IN ('running', 'waiting_input') OR o.status = 'queued' AND o.seq < w.seq)))`,
  atOnceWithoutQueue: 20,
  // No turn may take as long as a day; its real limit is written by `TurnClaims.begin`.
  onClaim: `status = 'running', wake_at = NULL, started_at = coalesce(w.started_at, now()),
    deadline_at = CASE w.status WHEN 'running' THEN w.deadline_at ELSE now() + interval '1 day' END`,
  retry: { tries: 5, delaySeconds: () => 0 },
  oneSuspectAtATime: true,
  onGivenUp: `status = 'failed', error_code = '${LOST.code}', error_detail = '${LOST.detail}', finished_at = now(),
    answer = ${keptAnswer(publishedText('w.id'))}, sources = coalesce(${publishedSources('w.id')}, w.sources),
    pending = NULL, reply = NULL`,
  // The state stays until its work log is made of it (`GivenUpTurns`).
  async whenGivenUp({ id }, tx) {
    await appendOne(tx, id, 'end', toEndData({ status: 'failed', usage: null, error: LOST }));
  },
  ids: ({ id, sessionId, handler, attempt }) => ({ turnId: id, sessionId, handler, attempt }),
  ownerOf: ({ userId }) => userId,
});

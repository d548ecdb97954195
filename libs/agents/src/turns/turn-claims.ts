import { toJsonText } from '@app/common';
import { ClaimLostError, WorkClaims, type Claim, type Param } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { KeptTexts } from '../agent/kept-state.js';
import { addStep, listSteps } from '../steps/turn-steps.js';
import { TurnWorkLog } from '../work-log/turn-work-log.js';
import type { TurnQuestion } from '../turn-events/turn-event.js';
import {
  appendOne,
  keptAnswer,
  toEndData,
  publishedSources,
  publishedText,
  type BegunWork,
  type TurnEnd,
} from './turn-rows.js';
import type { TurnRow } from './turn-work.js';
import { AGENT_HANDLERS } from '../work-log/agent-handlers.js';

/** What a worker writes of the turn that it has claimed (`turnWork`), always under the claim. */
@Injectable()
export class TurnClaims {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly workLog: TurnWorkLog,
  ) {}

  /**
   * Opens the log of this claim, after which no worker before it can write there.
   * @param timeoutSeconds for which a turn may be worked on. @throws ClaimLostError
   */
  async begin(claim: Claim<TurnRow>, timeoutSeconds: number): Promise<BegunWork> {
    const { id, attempt, pending, reply, isReplyUntold } = claim.row;
    if (isReplyUntold)
      await this.dataSource.transaction(async (tx) => {
        await this.claims.hold(claim, tx);
        await appendOne(tx, id, 'reply', { request_id: pending!.request_id, reply });
      });
    for (;;) {
      // Whoever writes at the same moment takes the number. What has it has read all that was told before.
      const [begun] = await this.dataSource.query<(Omit<BegunWork, 'lastSeq'> & { lastSeq: number | null })[]>(
        `WITH held AS (
           UPDATE chat_turns SET deadline_at = least(deadline_at, now() + $4 * interval '1 second')
           WHERE id = $1 AND attempt = $2 AND lease_owner = $3 AND status = 'running' RETURNING id, attempt, deadline_at),
         started AS (
           INSERT INTO chat_turn_events (turn_id, seq, type, data)
           SELECT h.id, coalesce((SELECT max(e.seq) FROM chat_turn_events e WHERE e.turn_id = $1), 0) + 1, 'started',
             jsonb_build_object('attempt', h.attempt) FROM held h
           ON CONFLICT DO NOTHING RETURNING seq)
         SELECT h.deadline_at AS "deadlineAt", (SELECT seq FROM started) AS "lastSeq",
           ${publishedSources('$1')} AS sources, ${publishedText('$1')} AS text FROM held h`,
        [id, attempt, claim.leaseOwner, timeoutSeconds],
      );
      if (!begun) throw new ClaimLostError(claim);
      const { lastSeq } = begun;
      if (lastSeq !== null) return { ...begun, lastSeq };
    }
  }

  /** What was replied, and waited for, is in the state from here on. @throws ClaimLostError */
  async saveState(
    claim: Claim<TurnRow>,
    state: Record<string, unknown>,
    added: KeptTexts | null = null,
  ): Promise<void> {
    const options = {
      set: (param: Param) => `state = ${param(toJsonText(state))}::jsonb, pending = NULL, reply = NULL`,
    };
    if (!added) return this.claims.hold(claim, undefined, options);
    await this.dataSource.transaction(async (tx) => {
      await this.claims.hold(claim, tx, options);
      await addStep(tx, claim.row.id, added);
    });
  }

  /** What was kept beside the state. */
  keptTexts(claim: Claim<TurnRow>): Promise<KeptTexts[]> {
    return listSteps(this.dataSource, claim.row.id);
  }

  /** Leaves the turn to whoever brings a reply. @returns the number of the question in the log. @throws ClaimLostError */
  suspend(claim: Claim<TurnRow>, question: TurnQuestion): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const options = {
        set: (param: Param) =>
          `status = 'waiting_input', pending = ${param(toJsonText(question))}::jsonb, reply = NULL, deadline_at = NULL`,
        nextAttempt: (param: Param) => `${param(question.expires_at)}::timestamptz`,
      };
      await this.claims.finish(claim, options, tx);
      return appendOne(tx, claim.row.id, 'question', question);
    });
  }

  /** Only a running turn can end, and only once. @returns the number of the `end`. @throws ClaimLostError */
  finish(claim: Claim<TurnRow>, end: TurnEnd): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      if (AGENT_HANDLERS.includes(claim.row.handler)) {
        await this.claims.hold(claim, tx);
        const { status, answer: told, error } = end;
        await this.workLog.keep(tx, claim.row.id, { status, errorCode: error?.code ?? '', told });
      }
      await this.claims.finish(claim, { set: (param) => endOf(end, param) }, tx);
      return appendOne(tx, claim.row.id, 'end', toEndData(end));
    });
  }
}

function endOf({ status, answer, sources, usage, model, extras, error }: TurnEnd, param: Param): string {
  return `status = ${param(status)}, answer = ${keptAnswer(`${param(answer)}::text`)},
    sources = ${param(toJsonText(sources))}::jsonb, prompt_tokens = ${param(usage?.promptTokens ?? null)},
    completion_tokens = ${param(usage?.completionTokens ?? null)}, model = coalesce(nullif(${param(model)}, ''), w.model),
    result = ${param(extras && toJsonText(extras))}::jsonb, error_code = ${param(error?.code ?? '')},
    error_detail = ${param(error?.detail ?? '')}, finished_at = now(), state = NULL, pending = NULL, reply = NULL`;
}

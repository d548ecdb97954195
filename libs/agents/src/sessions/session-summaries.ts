import { summariseSessionJob } from '@app/contracts';
import { Outbox } from '@app/queues';
import { SealingService } from '@app/secrets';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ModelMessage } from '@app/integrations';
import { PastTurns } from '../work-log/past-turns.js';
import { readableAmong } from '../work-log/readable-uids.js';
import { findSummary, keepSummary } from '../work-log/session-summary.js';
import { IS_OF_AGENT } from '../work-log/agent-handlers.js';

/** Of the room of earlier turns, what stays whole. */
const KEPT_SHARE = 0.25;
/** Of one call of the model. */
const MOST_TURNS = 16;
const LOOKS = 400;

/** Turns that are to be put in short, with the notes on those before them. */
export interface TurnsToSummarise {
  notes: string | null;
  messages: ModelMessage[];
  turnIds: string[];
  throughSeq: number;
}

/** The older turns of long conversations in short: made after a turn, so that nobody waits for it. */
@Injectable()
export class SessionSummaries {
  private readonly logger = new Logger(SessionSummaries.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly past: PastTurns,
    private readonly outbox: Outbox,
  ) {}

  /** As a job. Never throws: the turn is what matters. */
  async askFor(sessionId: number): Promise<void> {
    try {
      const receipt = await this.dataSource.transaction((tx) =>
        this.outbox.enqueue(summariseSessionJob, { sessionId }, tx),
      );
      this.outbox.publishSoon([receipt]);
    } catch (error) {
      this.logger.warn(`A conversation is not summarised yet: ${String(error)}`);
    }
  }

  /** Whose it is, its last turn, and which model that was asked of; null when there is none. */
  async findModel(sessionId: number): Promise<{ userId: number; turnId: string; modelId: number | null } | null> {
    const [row] = await this.dataSource.query<{ userId: number; turnId: string; modelId: number | null }[]>(
      `SELECT s.user_id AS "userId", t.id AS "turnId", t.model_id AS "modelId"
       FROM chat_sessions s JOIN chat_turns t ON t.session_id = s.id
       WHERE s.id = $1 AND t.${IS_OF_AGENT} ORDER BY t.seq DESC LIMIT 1`,
      [sessionId],
    );
    return row ?? null;
  }

  /**
   * The oldest turns beyond what stays whole; null where there is nothing to do. A summary that rests on what its user may
   * no longer read is forgotten, and made anew.
   * @param tokens the room of earlier turns @param most for one call
   */
  async next(sessionId: number, userId: number, tokens: number, most: number): Promise<TurnsToSummarise | null> {
    let known = await findSummary(this.dataSource, this.sealing, sessionId);
    if (known && (await readableAmong(this.dataSource, userId, known.uids)).size < known.uids.length) {
      await this.dataSource.query('DELETE FROM chat_session_summaries WHERE session_id = $1 AND through_seq = $2', [
        sessionId,
        known.throughSeq,
      ]);
      known = null;
    }
    const listed = await this.past.list(sessionId, { after: known?.throughSeq ?? 0, limit: { oldest: LOOKS } });
    let kept = listed.reduce((sum, { whole }) => sum + whole, 0);
    let size = 0;
    const old = [];
    for (const turn of listed.slice(0, -1)) {
      if (kept <= tokens * KEPT_SHARE || old.length >= MOST_TURNS) break;
      size += turn.whole;
      if (old.length > 0 && size > most) break;
      kept -= turn.whole;
      old.push(turn);
    }
    if (old.length === 0) return null;
    const planned = old.map(({ id }) => ({ id, isWhole: true }));
    const turns = await this.past.read(userId, planned, true);
    return {
      notes: known?.text ?? null,
      messages: turns.flatMap(({ exchange }) => exchange.messages ?? []),
      turnIds: planned.map(({ id }) => id),
      throughSeq: Number(old.at(-1)!.seq),
    };
  }

  async keep(sessionId: number, { turnIds, throughSeq }: TurnsToSummarise, text: string): Promise<void> {
    await this.dataSource.transaction((tx) => keepSummary(tx, this.sealing, sessionId, { text, turnIds, throughSeq }));
  }
}

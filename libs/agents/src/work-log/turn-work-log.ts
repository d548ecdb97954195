import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AgentState } from '../agent/agent-state.js';
import { KeptState } from '../agent/kept-state.js';
import { estimateMessageTokens, estimateTokens } from '../agent/tokens.js';
import { listSteps, dropSteps } from '../steps/turn-steps.js';
import { filesAmong } from './readable-uids.js';
import { openJson, sealJson } from './sealed-json.js';
import { keepSummary } from './session-summary.js';
import { type EndedTurn, idsIn, type TurnWork, turnWorkOf, uidsOf } from './turn-work.js';
import { IS_OF_AGENT } from './agent-handlers.js';

const placeOf = (turnId: string) => ({ table: 'chat_turn_work', column: 'work_sealed', row: turnId });

/** What agents did in turns, kept with the end of each, however it ended. */
@Injectable()
export class TurnWorkLog {
  constructor(private readonly sealing: SealingService) {}

  /**
   * In the transaction that ends the turn and holds it, before its state goes. Turns of other handlers, and those that did
   * nothing yet, leave nothing.
   */
  async keep(tx: EntityManager, turnId: string, end: EndedTurn): Promise<void> {
    const [turn] = await tx.query<{ sessionId: number; state: Record<string, unknown> | null }[]>(
      `SELECT session_id AS "sessionId", state FROM chat_turns
       WHERE id = $1 AND ${IS_OF_AGENT} AND NOT request ? 'sealed' AND question !~ '^enc:v1:'`,
      [turnId],
    );
    if (!turn) return;
    const state = turn.state && new KeptState(await listSteps(tx, turnId)).read(turn.state);
    await dropSteps(tx, turnId);
    if (!state || state.opening === null) return;
    await this.write(tx, turnId, turn.sessionId, state, end);
    await this.keepHistorySummary(tx, turn.sessionId, state);
  }

  /** Null once it is gone, or cannot be read. */
  async open(turnId: string, sealed: Buffer | null): Promise<TurnWork | null> {
    return sealed && ((await openJson(this.sealing, sealed, placeOf(turnId))) as TurnWork | null);
  }

  private async write(
    tx: EntityManager,
    turnId: string,
    sessionId: number,
    state: AgentState,
    end: EndedTurn,
  ): Promise<void> {
    const work = turnWorkOf(state, end, await filesAmong(tx, idsIn(state)));
    const tokens =
      estimateTokens(work.opening) +
      estimateTokens(work.notes ?? '') +
      work.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    await tx.query(
      `INSERT INTO chat_turn_work (turn_id, work_sealed, uids, tokens, citations)
       SELECT $1, $2, $3::uuid[], $4, greatest($5::int, coalesce((
         SELECT w.citations FROM chat_turns t JOIN chat_turn_work w ON w.turn_id = t.id
         WHERE t.session_id = $6 AND t.id <> $1 ORDER BY t.seq DESC LIMIT 1), 0))
       ON CONFLICT (turn_id) DO NOTHING`,
      [
        turnId,
        await sealJson(this.sealing, work, placeOf(turnId)),
        uidsOf(work),
        tokens,
        Math.max(0, ...state.sources.map(({ citation }) => citation)),
        sessionId,
      ],
    );
  }

  /** What was written in the middle of the turn, because the conversation was too long for the model. */
  private async keepHistorySummary(
    tx: EntityManager,
    sessionId: number,
    { historySummary }: AgentState,
  ): Promise<void> {
    if (!historySummary?.isWhole || historySummary.throughSeq === undefined) return;
    const { text, turnIds, throughSeq } = historySummary;
    await keepSummary(tx, this.sealing, sessionId, { text, turnIds, throughSeq });
  }
}

import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EarlierSources } from '../agent/citations.js';
import type { EarlierNotes, PastExchange } from '../agent/context-messages.js';
import { attachedLine } from '../work-log/past-turn.js';
import { PastTurns, type ReadTurn } from '../work-log/past-turns.js';
import { planHistory } from '../work-log/plan-history.js';
import { readableAmong } from '../work-log/readable-uids.js';
import { findSummary, type KeptSummary } from '../work-log/session-summary.js';

/** Behind the summary, if there is one: so many turns are looked at at most. */
const MOST_TURNS = 64;
/** Of the room, what earlier turns take before the oldest of them are summarised after the turn. */
const LONG_SHARE = 0.6;
const NUMBERED = /\[(\d{1,4})\]/g;

/** What an agent knows of a conversation before a turn. */
export interface AgentConversation {
  /** Older turns in short. */
  summary: EarlierNotes | null;
  /** Oldest first. */
  turns: PastExchange[];
  /** Whether summary and turns are all that there was. */
  isWhole: boolean;
  /** Time to have the oldest turns summarised. */
  isLong: boolean;
  earlier: EarlierSources;
  /** Tools that the turn before had loaded. */
  loadedTools: string[];
}

export interface HistoryRequest {
  userId: number;
  sessionId: number;
  /** The turn that is asked for. */
  beforeTurnId: string;
  /** How much of the model's context earlier turns may take. */
  tokens: number;
  /** Whether the model can read calls of tools. */
  readsCalls: boolean;
}

/** Earlier turns of a conversation, as an agent goes on from them. What is read is bounded, however long it is. */
@Injectable()
export class AgentHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly past: PastTurns,
  ) {}

  /** What somebody may no longer read is left out, at each reading. */
  async before({ userId, sessionId, beforeTurnId, tokens, readsCalls }: HistoryRequest): Promise<AgentConversation> {
    const kept = await findSummary(this.dataSource, this.sealing, sessionId);
    const summary = kept && (await this.mayRead(userId, kept)) ? kept : null;
    const after = summary?.throughSeq ?? 0;
    const listed = await this.past.list(sessionId, { before: beforeTurnId, after, limit: MOST_TURNS });
    const planned = planHistory(listed, tokens);
    const turns = await this.past.read(userId, planned, readsCalls);
    const size = listed.reduce((sum, { whole }) => sum + whole, 0);
    const isWhole = planned.length === listed.length && listed.length < MOST_TURNS && summary === kept;
    return {
      summary: summary && {
        text: [summary.text, ...summary.attachments.map(attachedLine)].join('\n'),
        throughSeq: summary.throughSeq,
      },
      turns: turns.map(({ exchange }) => exchange),
      isWhole,
      isLong: !isWhole || size > tokens * LONG_SHARE || listed.length > MOST_TURNS * LONG_SHARE,
      earlier: {
        // The newest first: numbers of the release before began anew with each turn.
        sources: [...turns.toReversed().flatMap(({ sources }) => sources), ...(summary?.sources ?? [])],
        last: Math.max(await this.lastCitation(sessionId, beforeTurnId), ...turns.map(lastNumberOf)),
      },
      loadedTools: turns.at(-1)?.loadedTools ?? [],
    };
  }

  private async mayRead(userId: number, { uids }: KeptSummary): Promise<boolean> {
    return (await readableAmong(this.dataSource, userId, uids)).size >= uids.length;
  }

  private async lastCitation(sessionId: number, beforeTurnId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ citations: number }[]>(
      `SELECT w.citations FROM chat_turns t JOIN chat_turn_work w ON w.turn_id = t.id
       WHERE t.session_id = $1 AND t.seq < (SELECT n.seq FROM chat_turns n WHERE n.id = $2)
       ORDER BY t.seq DESC LIMIT 1`,
      [sessionId, beforeTurnId],
    );
    return row?.citations ?? 0;
  }
}

/** Of the release before, which kept no number with its turns. */
function lastNumberOf({ isNumberedAlone, exchange, sources }: ReadTurn): number {
  if (!isNumberedAlone || sources.length === 0) return 0;
  return Math.max(0, ...[...exchange.answer.matchAll(NUMBERED)].map(([, number]) => Number(number)));
}

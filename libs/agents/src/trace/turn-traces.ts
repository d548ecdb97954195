import { NotFoundError } from '@app/common';
import { TurnUsage, type UsedCall } from '@app/models';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TurnStatus } from '../turn-events/turn-event.js';
import type { ModelContent, ToolContent } from './trace-content.js';
import { TraceRows } from './trace-rows.js';

/** A request to the endpoint of a model; its figures are those of the ledger. */
export interface TracedModelCall {
  type: 'model_call';
  id: string;
  beganAt: Date;
  used: UsedCall;
  /** Null: what was said is kept no longer, or not at all. */
  content: ModelContent | null;
}

export interface TracedToolCall {
  type: 'tool_call';
  id: string;
  beganAt: Date;
  content: ToolContent;
}

export type TraceEntry = TracedModelCall | TracedToolCall;

export interface TraceTotals {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  /** Of those that have a price. */
  cost: number;
  unpriced: number;
}

export interface TurnTrace {
  turnId: string;
  status: TurnStatus;
  totals: TraceTotals;
  currency: string | null;
  count: number;
  entries: TraceEntry[];
}

interface Place {
  id: string;
  beganAt: Date;
  used: UsedCall | null;
}

/** What was done for a turn, call by call, for the owner of its conversation. */
@Injectable()
export class TurnTraces {
  constructor(
    private readonly dataSource: DataSource,
    private readonly usage: TurnUsage,
    private readonly rows: TraceRows,
  ) {}

  /**
   * In the order in which calls began; of a turn under way, what there is.
   * @param from how many entries to pass over @throws NotFoundError `turn_not_found` for turns of others
   */
  async get(userId: number, turnId: string, { from, limit }: { from: number; limit: number }): Promise<TurnTrace> {
    const [turn] = await this.dataSource.query<{ status: TurnStatus }[]>(
      `SELECT t.status FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE t.id = $2 AND s.user_id = $1`,
      [userId, turnId],
    );
    if (!turn) throw new NotFoundError('There is no such turn.', { code: 'turn_not_found' });
    const used = await this.usage.list(userId, turnId);
    const places = await this.places(turnId, used);
    return {
      turnId,
      status: turn.status,
      totals: totalsOf(used),
      currency: used[0]?.currency ?? null,
      count: places.length,
      entries: await this.entries(turnId, places.slice(from, from + limit)),
    };
  }

  private async places(turnId: string, used: readonly UsedCall[]): Promise<Place[]> {
    const kept = await this.rows.places(turnId);
    const began = new Map(kept.map(({ id, beganAt }) => [id, beganAt]));
    const places = [
      ...used.map((call) => ({ id: call.id, beganAt: began.get(call.id) ?? beganAtOf(call), used: call })),
      // What was said in a call that the ledger does not have is not told either.
      ...kept.filter(({ kind }) => kind === 'tool').map(({ id, beganAt }) => ({ id, beganAt, used: null })),
    ];
    return places.sort((a, b) => a.beganAt.getTime() - b.beganAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  private async entries(turnId: string, places: readonly Place[]): Promise<TraceEntry[]> {
    const ids = places.map(({ id }) => id);
    const contents = await this.rows.contents(turnId, ids);
    return places.flatMap(({ id, beganAt, used }): TraceEntry[] => {
      const content = contents.get(id) ?? null;
      if (used) return [{ type: 'model_call', id, beganAt, used, content: content as ModelContent | null }];
      return content ? [{ type: 'tool_call', id, beganAt, content: content as ToolContent }] : [];
    });
  }
}

const beganAtOf = ({ endedAt, durationMs }: UsedCall) => new Date(endedAt.getTime() - durationMs);

function totalsOf(used: readonly UsedCall[]): TraceTotals {
  const sum = (of: (call: UsedCall) => number) => used.reduce((total, call) => total + of(call), 0);
  return {
    requests: used.length,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    // As exactly as the ledger keeps it.
    cost: Number(sum(({ cost }) => cost ?? 0).toFixed(10)),
    unpriced: used.filter(({ cost }) => cost === null).length,
  };
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PastExchange } from '../agent/context-messages.js';
import type { AgentSource } from '../agent/tool.js';
import { briefMessages, type PastTurnRow, readableParts, wholeMessages } from './past-turn.js';
import type { PlannedTurn } from './plan-history.js';
import { readableAmong } from './readable-uids.js';
import { TurnWorkLog } from './turn-work-log.js';

export interface ListedTurn {
  id: string;
  seq: string;
  whole: number;
  brief: number;
}

export interface ReadTurn {
  exchange: PastExchange & { seq: number };
  /** What its numbers mean. */
  sources: AgentSource[];
  /** Those of a turn of the release before began anew. */
  isNumberedAlone: boolean;
  loadedTools: string[];
}

const LISTED = `SELECT t.id, t.seq, (length(t.question) + length(t.answer)) / 3 + 10 AS brief,
    coalesce(nullif(w.tokens, 0), (length(t.question) + length(t.answer)) / 3 + 10) AS whole
  FROM chat_turns t LEFT JOIN chat_turn_work w ON w.turn_id = t.id
  WHERE t.session_id = $1 AND t.seq > $3 AND t.status IN ('completed', 'interrupted', 'failed') AND NOT t.is_replaced
    AND ($2::uuid IS NULL OR t.seq < (SELECT n.seq FROM chat_turns n WHERE n.id = $2))
    AND t.question <> '' AND (t.answer <> '' OR w.turn_id IS NOT NULL)
    AND t.question !~ '^enc:v1:' AND t.answer !~ '^enc:v1:'`;

/** Ended turns of conversations; not those that were asked for anew, or that the server cannot read. */
@Injectable()
export class PastTurns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workLog: TurnWorkLog,
  ) {}

  /** Without their texts, oldest first: the newest before a turn, or the oldest after a number. */
  async list(
    sessionId: number,
    { before = null, after = 0, limit }: { before?: string | null; after?: number; limit: number | { oldest: number } },
  ): Promise<ListedTurn[]> {
    const values = [sessionId, before, after];
    if (typeof limit === 'number') {
      const newest = await this.dataSource.query<ListedTurn[]>(`${LISTED} ORDER BY t.seq DESC LIMIT $4`, [
        ...values,
        limit,
      ]);
      return newest.toReversed();
    }
    return this.dataSource.query<ListedTurn[]>(`${LISTED} ORDER BY t.seq LIMIT $4`, [...values, limit.oldest]);
  }

  /** What the viewer may no longer read is left out. @param readsCalls whether the reader can read calls of tools */
  async read(userId: number, planned: readonly PlannedTurn[], readsCalls: boolean): Promise<ReadTurn[]> {
    const whole = new Set(planned.flatMap(({ id, isWhole }) => (isWhole ? [id] : [])));
    const rows = await this.dataSource.query<
      (PastTurnRow & { sources: unknown[]; sealed: Buffer | null; uids: string[]; isNumberedAlone: boolean })[]
    >(
      `SELECT t.id, t.seq, t.status, t.error_code AS "errorCode", t.question, t.answer, t.sources,
         w.work_sealed AS sealed, coalesce(w.uids, '{}') AS uids, w.turn_id IS NULL AS "isNumberedAlone"
       FROM chat_turns t LEFT JOIN chat_turn_work w ON w.turn_id = t.id
       WHERE t.id = ANY ($1::uuid[]) ORDER BY t.seq`,
      [planned.map(({ id }) => id)],
    );
    const documents = new Set(rows.flatMap(({ uids }) => uids));
    const readable = await readableAmong(this.dataSource, userId, [...documents]);
    const isReadable = (uid: string): boolean => readable.has(uid) || !documents.has(uid);
    const turns: ReadTurn[] = [];
    for (const row of rows) {
      const work = await this.workLog.open(row.id, row.sealed);
      const told = work ?? { attachments: [], sources: row.sources.filter(isNumbered) };
      const { attachments, sources } = readableParts(told, isReadable);
      const isWhole = work !== null && readsCalls && whole.has(row.id);
      const { id: turnId, question, answer } = row;
      turns.push({
        exchange: {
          turnId,
          seq: Number(row.seq),
          question,
          answer,
          attachments,
          messages: isWhole ? wholeMessages(work, row, readable) : briefMessages(row, attachments),
        },
        sources,
        isNumberedAlone: row.isNumberedAlone,
        loadedTools: work?.loadedTools ?? [],
      });
    }
    return turns;
  }
}

function isNumbered(source: unknown): source is AgentSource {
  return typeof source === 'object' && source !== null && 'citation' in source;
}

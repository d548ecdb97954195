import { EventEmitter } from 'node:events';
import { accountIsActive, lockAccount } from '@app/access';
import { ConflictError, NotFoundError, RateLimitedError } from '@app/common';
import { ACCOUNTS_OF, Gates, lockPool, ownerOf } from '@app/entitlements';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  failedResult,
  type AuthoringEvent,
  type AuthoringResult,
  type EarlierTurn,
  type StoredEvent,
} from './authoring.types.js';

/** A turn whose process has been silent for so long is given up. */
const LOST_SECONDS = 30;
const HEARTBEAT_MS = 8000;
const HISTORY = 6;
const MAX_AT_ONCE = 3;
const KEPT_DAYS = 30;
/** How soon events of another replica are seen. */
const POLL_MS = 400;

export interface NewTurn {
  id: string;
  userId: number;
  workflowId: string | null;
  conversationId: string | null;
  prompt: string;
}

type EventRow = { seq: number; event: StoredEvent['event']; data: Record<string, unknown> };

const underWayOf = (accounts: string) => `
  SELECT count(*)::int AS count FROM workflow_authoring_turns
  WHERE user_id IN (${accounts}) AND status = 'running' AND heartbeat_at > now() - $2 * interval '1 second'`;
const UNDER_WAY = { organization: underWayOf(ACCOUNTS_OF.organization), account: underWayOf(ACCOUNTS_OF.account) };

/** Turns and their events: in Postgres first, to whoever listens after that. */
@Injectable()
export class AuthoringTurns implements OnModuleInit {
  private readonly ended = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
    private readonly gates: Gates,
  ) {}

  onModuleInit(): void {
    this.tasks.every('old authoring turns', 3600, async () => {
      await this.dataSource.query(
        `DELETE FROM workflow_authoring_turns WHERE id IN (SELECT id FROM workflow_authoring_turns
         WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT 1000)`,
        [KEPT_DAYS],
      );
    });
  }

  /** @throws RateLimitedError when the person has too many under way; ConflictError `build_limit_reached` when their plan has. */
  async begin({ id, userId, workflowId, conversationId, prompt }: NewTurn): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.keepToPlan(userId, tx);
      await lockAccount(tx, userId);
      const [{ count }] = await tx.query<[{ count: number }]>(UNDER_WAY.account, [userId, LOST_SECONDS]);
      if (count >= MAX_AT_ONCE)
        throw new RateLimitedError(`At most ${MAX_AT_ONCE} workflows are written at a time.`, HEARTBEAT_MS / 1000);
      await tx.query(
        `INSERT INTO workflow_authoring_turns (id, user_id, workflow_id, conversation_id, prompt) VALUES ($1, $2, $3, $4, $5)`,
        [id, userId, workflowId, conversationId, prompt],
      );
    });
  }

  /** Those who share a pool wait for each other here. */
  private async keepToPlan(userId: number, tx: EntityManager): Promise<void> {
    const builds = await this.gates.liveBuildsOf(userId, tx);
    if (!builds) return;
    const { pool, limit } = builds;
    await lockPool(tx, pool);
    const { kind, id } = ownerOf(pool);
    const [{ count }] = await tx.query<[{ count: number }]>(UNDER_WAY[kind], [id, LOST_SECONDS]);
    if (count < limit) return;
    const detail =
      limit === 0
        ? 'The plan does not include building workflows from words.'
        : `The plan has room for ${limit} at a time. Wait until one that is being built is done.`;
    throw new ConflictError(detail, { code: 'build_limit_reached', extra: { limit } });
  }

  /** The latest turns of a conversation that have an answer, oldest first. */
  async history(userId: number, conversationId: string | null): Promise<EarlierTurn[]> {
    if (conversationId === null) return [];
    const rows = await this.dataSource.query<EarlierTurn[]>(
      `SELECT prompt, result FROM workflow_authoring_turns
       WHERE user_id = $1 AND conversation_id = $2 AND status IN ('completed', 'clarification')
       ORDER BY created_at DESC LIMIT ${HISTORY}`,
      [userId, conversationId],
    );
    return rows.toReversed();
  }

  /** Says that the turn is worked on, until the returned function is called. */
  keepAlive(turnId: string): () => void {
    const timer = setInterval(() => {
      this.dataSource
        .query(`UPDATE workflow_authoring_turns SET heartbeat_at = now() WHERE id = $1 AND status = 'running'`, [
          turnId,
        ])
        .catch(() => undefined);
    }, HEARTBEAT_MS);
    return () => clearInterval(timer);
  }

  /** False: nothing was written, the turn having been given up meanwhile, or its account deactivated before its end. */
  async append(turnId: string, events: readonly AuthoringEvent[], end?: AuthoringResult): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `WITH turn AS (
         UPDATE workflow_authoring_turns SET last_seq = last_seq + $3, heartbeat_at = now(),
           status = coalesce($4::text, status), result = coalesce($5::jsonb, result)
         WHERE id = $1 AND status = 'running'
           AND ($4::text IS NOT NULL OR ${accountIsActive('workflow_authoring_turns.user_id')})
         RETURNING last_seq - $3 AS before),
       written AS (
         INSERT INTO workflow_authoring_events (turn_id, seq, event, data)
         SELECT $1, turn.before + e.at, e.item->>'event',
           jsonb_build_object('turn_id', $1::text, 'seq', turn.before + e.at) || (e.item->'data')
         FROM turn, jsonb_array_elements($2::jsonb) WITH ORDINALITY AS e(item, at) RETURNING 1)
       SELECT 1 FROM turn`,
      [turnId, JSON.stringify(events), events.length, end?.status ?? null, end ? JSON.stringify(end) : null],
    );
    this.ended.emit(turnId);
    return rows.length > 0;
  }

  /** @throws NotFoundError for somebody else's. */
  async require(userId: number, turnId: string): Promise<void> {
    const [row] = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM workflow_authoring_turns WHERE id = $1 AND user_id = $2',
      [turnId, userId],
    );
    if (!row) throw new NotFoundError();
  }

  async result(turnId: string): Promise<AuthoringResult | null> {
    const [row] = await this.dataSource.query<{ result: AuthoringResult | null }[]>(
      'SELECT result FROM workflow_authoring_turns WHERE id = $1',
      [turnId],
    );
    return row?.result ?? null;
  }

  /**
   * Events after `seq` as they come, from whichever replica; null now and then while there are none. Ends with `done`. A
   * number that the log of a turn under way has not come to is of another one: then all of them.
   */
  async *follow(turnId: string, seq: number, signal: AbortSignal): AsyncGenerator<StoredEvent | null, void> {
    let last = await this.placeOf(turnId, seq);
    while (!signal.aborted) {
      const untilEnded = this.untilEnded(turnId, signal);
      const rows = await this.dataSource.query<EventRow[]>(
        'SELECT seq, event, data FROM workflow_authoring_events WHERE turn_id = $1 AND seq > $2 ORDER BY seq LIMIT 200',
        [turnId, last],
      );
      for (const row of rows) {
        last = row.seq;
        yield row;
        if (row.event === 'done') return;
      }
      if (rows.length > 0) continue;
      if (await this.hasEnded(turnId, last)) return;
      await untilEnded;
      yield null;
    }
  }

  private async placeOf(turnId: string, seq: number): Promise<number> {
    if (seq === 0) return 0;
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM workflow_authoring_turns WHERE id = $1 AND status = 'running' AND last_seq < $2`,
      [turnId, seq],
    );
    return rows.length > 0 ? 0 : seq;
  }

  /** Whoever asked beyond the end gets nothing more; a turn whose process is gone is ended here. */
  private async hasEnded(turnId: string, last: number): Promise<boolean> {
    const [turn] = await this.dataSource.query<{ status: string; last_seq: number; is_lost: boolean }[]>(
      `SELECT status, last_seq, heartbeat_at < now() - $2 * interval '1 second' AS is_lost
       FROM workflow_authoring_turns WHERE id = $1`,
      [turnId, LOST_SECONDS],
    );
    if (!turn) return true;
    if (turn.status !== 'running') return turn.last_seq <= last;
    if (turn.is_lost) await this.giveUp(turnId);
    return false;
  }

  private async giveUp(turnId: string): Promise<void> {
    const error = { code: 'interrupted', detail: 'The server stopped while it worked on this. Please ask again.' };
    await this.append(
      turnId,
      [
        { event: 'error', data: { ...error, retryable: true } },
        {
          event: 'done',
          data: { status: 'failed', usage: { prompt_tokens: 0, completion_tokens: 0 }, duration_ms: 0 },
        },
      ],
      failedResult(turnId, error),
    );
  }

  /** Resolves when something was appended here, and after a while in any case. */
  private untilEnded(turnId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.ended.off(turnId, end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, POLL_MS);
      this.ended.once(turnId, end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

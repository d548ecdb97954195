import { findConversation } from '@app/agents';
import { toJsonText } from '@app/common';
import { LiveBus } from '@app/live';
import { type Claim, TryAgainError, WorkClaims, type WorkEnd } from '@app/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  AgentGateway,
  type GatewayEvent,
  GatewayRefusedError,
  type GatewayRun,
  type GatewayRunRef,
  GatewayUnreachableError,
  RUN_BEGUN,
} from '../gateway/agent-gateway.js';
import { type AgentRunStatus, END_EVENTS, RUN_ENDED, type RunEndedListener } from './agent-run.js';
import { arrivedTogether } from './arrived-events.js';
import { Slice } from './follow-slice.js';
import type { FollowedRun } from './follow-work.js';
import { RunLogWriter, toMessages } from './run-log-writer.js';
import { RUN_COLUMNS, RUNS, type RunRow, toRunRecord } from './run-rows.js';
import { isCounts, isExpiry, isOverdue, type RunState, stateAfter, textOf } from './run-state.js';
import { usageOfRun } from './session-usage.js';
import { ShownEvents } from './shown-events.js';

/** After which a run that waits is looked at all the same; longer the longer it waits, up to the second. */
const WAITING_PAUSE_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 300;
const UNREACHABLE_PAUSE_SECONDS = 2;
const UNTOLD_PAUSE_SECONDS = 2;
const FULL_PAUSE_SECONDS = 3;
/** For which a gateway may be away before its runs are lost. */
const LOST_AFTER_SECONDS = 60;

const LOST = {
  code: 'gateway_lost',
  error: 'The agent could not be reached any more, and what became of this run is not known.',
};

const CANCELLED = { event: 'run.cancelled', data: {} };

/** What changes more of a run than its log. */
const CHANGING: Readonly<Record<string, unknown>> = {
  ...END_EVENTS,
  [RUN_BEGUN]: true,
  'approval.request': true,
  'approval.responded': true,
};

/** Starts a run at its gateway, and writes down what that tells, always under the claim. */
@Injectable()
export class RunFollower {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly gateway: AgentGateway,
    private readonly live: LiveBus,
    private readonly shown: ShownEvents,
    private readonly writer: RunLogWriter,
    @Inject(RUN_ENDED) private readonly listeners: readonly RunEndedListener[],
  ) {}

  /** @throws ClaimLostError, TryAgainError: somebody goes on with it later */
  async follow(claim: Claim<FollowedRun>, signal: AbortSignal): Promise<WorkEnd> {
    try {
      const ref = await this.begin(claim);
      return ref === null ? await this.end(claim, CANCELLED) : await this.listen(claim, ref, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GatewayRefusedError && error.status === 429) return this.queue(claim, error);
      if (error instanceof GatewayRefusedError)
        return this.end(claim, { event: 'run.failed', data: { error: error.message, code: error.code } });
      if (error instanceof GatewayUnreachableError) return this.standOut(claim, error);
      throw error;
    }
  }

  /** @returns null: it was stopped before its gateway knew it */
  private async begin(claim: Claim<FollowedRun>): Promise<GatewayRunRef | null> {
    const { id: runId, agentId, userId, gatewayRunId: known, isUnreachable } = claim.row;
    const isUnwanted = claim.row.status === 'stopping' || (await this.isForgotten(claim.row));
    if (known === null && isUnwanted) return null;
    const { input, instructions, model, sessionId, attachedFiles, onExpiry } = claim.row;
    const mayHaveBegun = claim.wasLost === true;
    const asked = { input, instructions, model, sessionId, attachedFiles, haltsOnExpiry: onExpiry === 'halt' };
    const task = { runId, agentId, userId, ...asked, mayHaveBegun };
    const gatewayRunId = known ?? (await this.gateway.start(task));
    const ref = { runId, agentId, userId, gatewayRunId };
    // What may have come back long before it tells of something is not away any more.
    if (known !== null && isUnreachable) await this.gateway.find(ref);
    const isStopping = known === null ? await this.accept(claim, gatewayRunId) : isUnwanted;
    if (isStopping) await this.stop(ref);
    else if (known !== null) await this.haltExpired(claim, ref);
    if (known !== null && isUnreachable)
      await this.claims.hold(claim, this.dataSource, { set: () => 'unreachable_since = NULL' });
    return ref;
  }

  /** Whether the conversation that it belongs to was deleted: nobody would see the answer. */
  private async isForgotten({ userId, sessionId }: FollowedRun): Promise<boolean> {
    return sessionId !== null && (await findConversation(this.dataSource.manager, userId, sessionId)) === null;
  }

  /** @returns whether it was stopped meanwhile, when nobody knew yet what its gateway calls it */
  private accept(claim: Claim<FollowedRun>, gatewayRunId: string): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      await this.claims.hold(claim, tx, {
        set: (param) => `gateway_run_id = ${param(gatewayRunId)}, unreachable_since = NULL, updated_at = now(),
          status = CASE WHEN w.status IN ('started', 'queued') THEN ${param(this.gateway.tellsBegin ? 'queued' : 'running')}
            ELSE w.status END`,
      });
      const [row] = await tx.query<[{ status: AgentRunStatus }]>(
        'SELECT status FROM dedicated_agent_runs WHERE id = $1',
        [claim.row.id],
      );
      return row.status === 'stopping';
    });
  }

  private async stop(ref: GatewayRunRef): Promise<void> {
    try {
      await this.gateway.stop(ref);
    } catch (error) {
      // It has ended by itself, which is told.
      if (!(error instanceof GatewayRefusedError)) throw error;
    }
  }

  /** Of a gateway that goes on without an answer, and perhaps without a word of it. */
  private async haltExpired(claim: Claim<FollowedRun>, ref: GatewayRunRef): Promise<void> {
    if (claim.row.onExpiry !== 'halt') return;
    const { pending } = await this.stateOf(this.dataSource.manager, claim.row.id);
    if (pending.some(isOverdue)) await this.halt(claim, ref);
  }

  /** Nobody answered in time. */
  private async halt(claim: Claim<FollowedRun>, ref: GatewayRunRef): Promise<void> {
    if (claim.row.onExpiry !== 'halt') return;
    await this.claims.hold(claim, this.dataSource, { set: () => `status = 'stopping', updated_at = now()` });
    await this.stop(ref);
  }

  private async listen(claim: Claim<FollowedRun>, ref: GatewayRunRef, signal: AbortSignal): Promise<WorkEnd> {
    const slice = new Slice(claim.row.gatewayCursor !== null, claim.row.status === 'waiting_for_approval');
    const either = AbortSignal.any([signal, slice.signal]);
    try {
      let state = await this.stateOf(this.dataSource.manager, claim.row.id);
      const source = this.gateway.events(ref, { after: claim.row.gatewayCursor, signal: either });
      for await (const events of arrivedTogether(source)) {
        if (events.some(({ event }) => event in CHANGING)) {
          const { end, ...after } = await this.write(claim, events);
          if (end) return end;
          state = after.state;
        } else {
          await this.writer.append(claim, state.lastSeq, await this.shown.of(claim.row.userId, events));
          state.lastSeq += events.length;
        }
        if (events.some(isExpiry)) await this.halt(claim, ref);
        const { cursor } = events.at(-1)!;
        slice.note(cursor !== null && this.gateway.canLetGo(cursor), state.status === 'waiting_for_approval');
      }
    } finally {
      slice.end();
    }
    signal.throwIfAborted();
    if (slice.signal.aborted)
      throw new TryAgainError('', {
        isTry: false,
        afterSeconds: slice.isWaiting ? await this.pauseOf(claim.row.id) : 0,
      });
    return this.conclude(claim, await this.gateway.find(ref));
  }

  /** Whoever answers wakes it; where nobody does, the gateway goes on when the time is over. */
  private async pauseOf(id: string): Promise<number> {
    const [{ pending, quietSeconds }] = await this.dataSource.query<
      [Pick<RunState, 'pending'> & { quietSeconds: number }]
    >(
      `SELECT pending, extract(epoch FROM now() - updated_at)::float8 AS "quietSeconds" FROM dedicated_agent_runs WHERE id = $1`,
      [id],
    );
    const ends = pending.map(({ expires_at: until }) => (until === null ? Infinity : Date.parse(until)));
    const left = (Math.min(...ends, Infinity) - Date.now()) / 1000 + 1;
    // What was answered already goes on soon.
    const longest = pending.some(({ taken_at: at }) => at) ? WAITING_PAUSE_SECONDS : LONGEST_PAUSE_SECONDS;
    const pause = Math.min(longest, Math.max(WAITING_PAUSE_SECONDS, quietSeconds / 4));
    return Math.min(pause, Math.max(1, left));
  }

  /** Its gateway tells nothing more, and the end was not among it. */
  private async conclude(claim: Claim<FollowedRun>, found: GatewayRun | null): Promise<WorkEnd> {
    if (found === null && (await this.isForgotten(claim.row))) return this.end(claim, CANCELLED);
    if (found === null) return this.end(claim, { event: 'run.failed', data: LOST });
    const { status, output, usage, error } = found;
    if (status === 'completed') return this.end(claim, { event: 'run.completed', data: { output, usage } });
    if (status === 'cancelled') return this.end(claim, CANCELLED);
    if (status === 'failed')
      return this.end(claim, { event: 'run.failed', data: { error, ...(output && { output }), usage } });
    throw new TryAgainError('', { isTry: false, afterSeconds: UNTOLD_PAUSE_SECONDS });
  }

  /** It has as many runs as it takes. */
  private async queue(claim: Claim<FollowedRun>, error: GatewayRefusedError): Promise<never> {
    await this.claims.hold(claim, this.dataSource, {
      set: () =>
        `status = CASE WHEN w.status = 'started' THEN 'queued' ELSE w.status END, unreachable_since = NULL, updated_at = now()`,
    });
    throw new TryAgainError(error.message, { isTry: false, afterSeconds: FULL_PAUSE_SECONDS });
  }

  private async standOut(claim: Claim<FollowedRun>, error: GatewayUnreachableError): Promise<WorkEnd> {
    const isLost = await this.dataSource.transaction(async (tx) => {
      await this.claims.hold(claim, tx, { set: () => 'unreachable_since = coalesce(w.unreachable_since, now())' });
      const [row] = await tx.query<[{ isLost: boolean }]>(
        `SELECT unreachable_since <= now() - $2 * interval '1 second' AS "isLost" FROM dedicated_agent_runs WHERE id = $1`,
        [claim.row.id, LOST_AFTER_SECONDS],
      );
      return row.isLost;
    });
    if (isLost) return this.end(claim, { event: 'run.failed', data: LOST });
    throw new TryAgainError(error.message, { isTry: false, afterSeconds: UNREACHABLE_PAUSE_SECONDS });
  }

  private async end(claim: Claim<FollowedRun>, told: Pick<GatewayEvent, 'event' | 'data'>): Promise<WorkEnd> {
    const { end } = await this.write(claim, [{ ...told, cursor: null, at: new Date() }]);
    return end!;
  }

  /** Events, place, and what the row shows, together; nothing after the end of the run. @throws ClaimLostError */
  private async write(
    claim: Claim<FollowedRun>,
    arrived: readonly GatewayEvent[],
  ): Promise<{ end: WorkEnd | null; state: RunState }> {
    const { id } = claim.row;
    const endAt = arrived.findIndex(({ event }) => event in END_EVENTS);
    const told = endAt === -1 ? arrived : arrived.slice(0, endAt + 1);
    const heard = await this.shown.of(claim.row.userId, told);
    const events = heard.filter(({ event }) => event !== RUN_BEGUN);
    const written = await this.dataSource.transaction(async (tx) => {
      await this.claims.hold(claim, tx);
      if (endAt !== -1) events.push(await this.counted(tx, claim.row, events.pop()!));
      const before = await this.stateOf(tx, id);
      await tx.query(
        `INSERT INTO dedicated_agent_events (run_id, seq, event, data, created_at)
         SELECT $1, $2 + n.at::int, n.event, n.data, n.told_at
         FROM unnest($3::text[], $4::text[]::jsonb[], $5::timestamptz[]) WITH ORDINALITY AS n (event, data, told_at, at)`,
        [
          id,
          before.lastSeq,
          events.map(({ event }) => event),
          events.map(({ data }) => toJsonText(data)),
          events.map(({ at }) => at.toISOString()),
        ],
      );
      const after = stateAfter(before, heard);
      if (endAt === -1) await this.keep(tx, id, after, heard.at(-1)!.cursor);
      else await this.finish(tx, claim, events.at(-1)!);
      return after;
    });
    if (events.length > 0)
      this.live.publish(`agent-run:${id}`, { events: toMessages(events, written.lastSeq - events.length) });
    // What became of a job is told in the console.
    if (endAt !== -1 && claim.row.origin === 'job') this.live.publish(`agent:${claim.row.agentId}`, {});
    if (endAt === -1) return { end: null, state: written };
    const { event, data } = events.at(-1)!;
    const isFailed = event === 'run.failed';
    return {
      end: isFailed ? { outcome: 'failed', code: textOf(data.code) || 'run_failed' } : { outcome: 'completed' },
      state: written,
    };
  }

  /** The end with what the run itself has used. */
  private async counted(tx: EntityManager, run: FollowedRun, end: GatewayEvent): Promise<GatewayEvent> {
    const { id, agentId, userId, sessionId } = run;
    const { usage } = end.data;
    if (!this.gateway.countsBySession || sessionId === null || !isCounts(usage)) return end;
    const used = await usageOfRun(tx, { id, agentId, userId, sessionId }, usage);
    return { ...end, data: { ...end.data, usage: used } };
  }

  private async stateOf(tx: EntityManager, id: string): Promise<RunState> {
    const [row] = await tx.query<[RunState]>(
      `SELECT r.status, r.pending, coalesce((SELECT max(e.seq) FROM dedicated_agent_events e WHERE e.run_id = r.id), 0) AS "lastSeq"
       FROM dedicated_agent_runs r WHERE r.id = $1`,
      [id],
    );
    return row;
  }

  private async keep(tx: EntityManager, id: string, state: RunState, cursor: string | null): Promise<void> {
    await tx.query(
      `UPDATE dedicated_agent_runs SET status = $2, pending = $3::jsonb, gateway_cursor = coalesce($4, gateway_cursor),
         unreachable_since = NULL, updated_at = now() WHERE id = $1`,
      [id, state.status, toJsonText(state.pending), cursor],
    );
  }

  private async finish(tx: EntityManager, claim: Claim<FollowedRun>, { event, data }: GatewayEvent): Promise<void> {
    const isFailed = event === 'run.failed';
    const output = textOf(data.output);
    const code = isFailed ? textOf(data.code) || 'run_failed' : '';
    await this.claims.finish(
      claim,
      {
        set: (param) => `status = ${param(END_EVENTS[event])}, pending = '[]', unreachable_since = NULL,
          output = ${param(event === 'run.completed' ? output : output || null)}::text,
          usage = ${param(isCounts(data.usage) ? toJsonText(data.usage) : null)}::jsonb,
          error_code = ${param(code)}, error_detail = ${param(isFailed ? textOf(data.error) : '')},
          finished_at = now(), updated_at = now()`,
      },
      tx,
    );
    const [row] = await tx.query<[RunRow]>(`SELECT ${RUN_COLUMNS} FROM ${RUNS} WHERE r.id = $1`, [claim.row.id]);
    for (const listener of this.listeners) await listener(tx, toRunRecord(row));
  }
}

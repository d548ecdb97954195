import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BadGatewayError,
  ConflictError,
  InvalidRequestError,
  isUuid,
  newTimeOrderedId,
  NotFoundError,
  type Page,
  type PageRequest,
  RateLimitedError,
  toJsonText,
} from '@app/common';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DedicatedAgents, requireRunning } from '../agents/dedicated-agents.js';
import { IS_LIVE } from '../agents/live-runs.js';
import { BudgetBook } from '../budget/budget-book.js';
import {
  AgentGateway,
  type ApprovalAnswer,
  GatewayRefusedError,
  type GatewayRunRef,
  GatewayUnreachableError,
} from '../gateway/agent-gateway.js';
import {
  type AgentRunEvent,
  type AgentRunRecord,
  type AgentRunStatus,
  LIVE_STATUSES,
  type NewAgentRun,
  type PendingApproval,
} from './agent-run.js';
import { AgentRunFeed } from './agent-run-feed.js';
import { followWork } from './follow-work.js';
import { runNotFound, RUN_COLUMNS, RUNS, type RunRow, toRunRecord } from './run-rows.js';

/** Of one agent. */
const MAX_LIVE_RUNS = 10;
const TRY_AGAIN_SECONDS = 5;
/** An answer that its gateway has not told of after this may be given again: the process that gave it was lost. */
const ANSWER_SECONDS = 60;
/** For which whoever stops runs waits for their gateway; whoever follows them asks it again. */
const STOP_SECONDS = 5;
/** SQL: by whoever follows it, should this process be lost before it says so. */
const LOOKED_AT_SOON = `next_attempt_at = least(next_attempt_at, now() + interval '30 seconds')`;

/** Runs of agents as their owners see them. Every method is scoped to the user. */
@Injectable()
export class AgentRuns {
  private readonly logger = new Logger(AgentRuns.name);
  private readonly receipts = new WeakMap<AgentRunRecord, OutboxReceipt>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly agents: DedicatedAgents,
    private readonly gateway: AgentGateway,
    private readonly claims: WorkClaims,
    private readonly outbox: Outbox,
    private readonly feed: AgentRunFeed,
    private readonly budget: BudgetBook,
  ) {}

  /**
   * The one way in: asked for by a call, a message in the console, or a job. The same idempotency key is the same run.
   * @param tx in which it is stored; then call `publishSoon` after commit, or the run begins some seconds later
   * @throws as `DedicatedAgents.getRunning` and `AgentGateway.requireReady`; ConflictError `idempotency_key_conflict`,
   * `budget_exceeded`; RateLimitedError `too_many_runs`
   */
  async create(userId: number, run: NewAgentRun, tx?: EntityManager): Promise<AgentRunRecord> {
    if (tx) return this.insert(userId, run, tx);
    const created = await this.dataSource.transaction((db) => this.insert(userId, run, db));
    this.publishSoon(created);
    return created;
  }

  /** Has a run that was created in a transaction begin at once. */
  publishSoon(run: AgentRunRecord): void {
    const receipt = this.receipts.get(run);
    if (receipt) this.outbox.publishSoon([receipt]);
  }

  /** Whether `create` made it; else it was there under its key. */
  isNew(run: AgentRunRecord): boolean {
    return this.receipts.has(run);
  }

  /** @throws NotFoundError `agent_not_found`, `run_not_found` */
  async get(userId: number, id: string): Promise<AgentRunRecord> {
    await this.agents.get(userId);
    return toRunRecord(await this.find(userId, id));
  }

  /** Newest first. */
  async list(
    userId: number,
    { status, origin }: { status?: AgentRunStatus | undefined; origin?: AgentRunRecord['origin'] | undefined },
    { page, pageSize }: PageRequest,
  ): Promise<Page<AgentRunRecord>> {
    const agent = await this.agents.get(userId);
    const values = [agent.id, status ?? null, origin ?? null];
    const where = 'r.agent_id = $1 AND ($2::text IS NULL OR r.status = $2) AND ($3::text IS NULL OR r.origin = $3)';
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM dedicated_agent_runs r WHERE ${where}`,
      values,
    );
    const items = await this.dataSource.query<RunRow[]>(
      `SELECT ${RUN_COLUMNS} FROM ${RUNS} WHERE ${where} ORDER BY r.id DESC LIMIT $4 OFFSET $5`,
      [...values, pageSize, (page - 1) * pageSize],
    );
    return { count, items: items.map(toRunRecord) };
  }

  /** `AgentRunFeed.follow`. @throws as `get` */
  async *follow(
    userId: number,
    id: string,
    from: { after: number; signal: AbortSignal },
  ): AsyncGenerator<AgentRunEvent | null, void> {
    await this.get(userId, id);
    yield* this.feed.follow(id, from);
  }

  /**
   * Asks it to end; its end is told as an event. Repeated: the same.
   * @throws NotFoundError; ConflictError `run_not_active` with its `status`
   */
  async stop(userId: number, id: string): Promise<void> {
    await this.agents.get(userId);
    const { status } = await this.find(userId, id);
    const stopping = await this.markStopping(userId, id);
    if (!stopping) throw notActive(LIVE_STATUSES.includes(status) ? (await this.find(userId, id)).status : status);
    await this.stopAtGateway(stopping);
  }

  /** Asks all of them to end. @returns how many */
  async stopAll(userId: number): Promise<number> {
    const live = await this.dataSource.query<{ id: string }[]>(
      `SELECT r.id FROM ${RUNS} WHERE a.user_id = $1 AND r.${IS_LIVE} ORDER BY r.id`,
      [userId],
    );
    const stopping: RunRow[] = [];
    for (const { id } of live) {
      const run = await this.markStopping(userId, id);
      if (run) stopping.push(run);
    }
    await Promise.all(stopping.map((run) => this.stopAtGateway(run)));
    return stopping.length;
  }

  /**
   * Answers one question, the oldest where none is named, or all. Of several answers to one question one counts.
   * @returns how many were answered @throws NotFoundError; ConflictError `approval_not_pending`;
   * InvalidRequestError `invalid_approval_choice`; BadGatewayError
   */
  async answer(userId: number, id: string, answer: ApprovalAnswer): Promise<number> {
    await this.agents.get(userId);
    await this.find(userId, id);
    const { run, taken } = await this.dataSource.transaction((tx) => this.take(tx, userId, id, answer));
    let resolved = 0;
    for (const { request_id: requestId } of taken) {
      try {
        resolved += await this.gateway.answer(run, { choice: answer.choice, requestId, all: false });
      } catch (error) {
        const isOver = error instanceof GatewayRefusedError && error.status === 409;
        if (!isOver) await this.giveBack(id, requestId);
        // Of several, others may have been answered.
        if (!isOver || taken.length === 1) throw toDomainError(error);
      }
    }
    if (resolved === 0) throw notPending();
    await this.wake(id);
    return resolved;
  }

  /** Tells it something while it is at work. @throws NotFoundError; ConflictError `run_not_active`; BadGatewayError */
  async steer(userId: number, id: string, message: string): Promise<void> {
    await this.agents.get(userId);
    const run = await this.find(userId, id);
    if (!LIVE_STATUSES.includes(run.status) || run.status === 'stopping') throw notActive(run.status);
    if (run.gatewayRunId === null)
      throw new ConflictError('The run has not begun yet.', {
        code: 'run_not_accepting_steer',
        extra: { status: run.status },
      });
    try {
      await this.gateway.steer(refOf(run), message);
    } catch (error) {
      throw toDomainError(error);
    }
  }

  private async insert(userId: number, run: NewAgentRun, tx: EntityManager): Promise<AgentRunRecord> {
    const agent = await this.agents.hold(userId, tx);
    const digest = digestOf(run);
    if (run.idempotencyKey !== undefined) {
      const [known] = await tx.query<(RunRow & { digest: string | null })[]>(
        `SELECT ${RUN_COLUMNS}, r.request_digest AS digest FROM ${RUNS} WHERE r.agent_id = $1 AND r.idempotency_key = $2`,
        [agent.id, run.idempotencyKey],
      );
      if (known) {
        const { digest: before, ...row } = known;
        if (before === digest) return toRunRecord(row);
        throw new ConflictError('This Idempotency-Key was used for another request.', {
          code: 'idempotency_key_conflict',
        });
      }
    }
    requireRunning(agent);
    await this.gateway.requireReady({ userId, model: run.model ?? '', tx });
    await this.budget.requireOpen(tx, agent.id, run.jobId ?? null);
    const [{ count }] = await tx.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM dedicated_agent_runs WHERE agent_id = $1 AND ${IS_LIVE}`,
      [agent.id],
    );
    if (count >= MAX_LIVE_RUNS)
      throw new RateLimitedError(`An agent does at most ${MAX_LIVE_RUNS} runs at once.`, TRY_AGAIN_SECONDS, {
        code: 'too_many_runs',
      });
    const id = newTimeOrderedId();
    const [row] = await tx.query<[RunRow]>(
      `WITH made AS (
         INSERT INTO dedicated_agent_runs (id, agent_id, origin, input, instructions, model, session_id, job_id,
           attached_files, idempotency_key, request_digest, halts_on_expiry)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12) RETURNING *)
       SELECT ${RUN_COLUMNS} FROM made r JOIN dedicated_agents a ON a.id = r.agent_id`,
      [
        id,
        agent.id,
        run.origin,
        run.input,
        run.instructions ?? '',
        run.model ?? '',
        run.sessionId ?? null,
        run.jobId ?? null,
        toJsonText(run.attachedFiles ?? []),
        run.idempotencyKey ?? null,
        digest,
        run.onExpiry === 'halt',
      ],
    );
    const record = toRunRecord(row);
    this.receipts.set(record, await this.claims.notify(followWork, [id], 0, tx));
    return record;
  }

  private async find(userId: number, id: string): Promise<RunRow> {
    if (!isUuid(id)) throw runNotFound();
    const [row] = await this.dataSource.query<RunRow[]>(
      `SELECT ${RUN_COLUMNS} FROM ${RUNS} WHERE r.id = $1 AND a.user_id = $2`,
      [id, userId],
    );
    if (!row) throw runNotFound();
    return row;
  }

  /** Null: it has ended. */
  private async markStopping(userId: number, id: string): Promise<RunRow | null> {
    const [row] = await this.dataSource.query<RunRow[]>(
      `WITH r AS (UPDATE dedicated_agent_runs SET status = 'stopping', updated_at = now(), ${LOOKED_AT_SOON}
         WHERE id = $1 AND ${IS_LIVE}
         AND agent_id IN (SELECT id FROM dedicated_agents WHERE user_id = $2) RETURNING *)
       SELECT ${RUN_COLUMNS} FROM r JOIN dedicated_agents a ON a.id = r.agent_id`,
      [id, userId],
    );
    return row ?? null;
  }

  /** Whoever follows it does so too, should the gateway be away. */
  private async stopAtGateway(run: RunRow): Promise<void> {
    if (run.gatewayRunId !== null) {
      const asked = this.askToStop(run);
      asked.catch(() => undefined);
      await Promise.race([asked, sleep(STOP_SECONDS * 1000, undefined, { ref: false })]);
    }
    await this.wake(run.id);
  }

  private async askToStop(run: RunRow): Promise<void> {
    try {
      await this.gateway.stop(refOf(run));
    } catch (error) {
      if (!(error instanceof GatewayUnreachableError || error instanceof GatewayRefusedError)) throw error;
      this.logger.warn(`The gateway does not stop the run ${run.id} yet: ${error.message}`);
    }
  }

  /** Whoever follows it looks now: it may have been left alone for a while. */
  private async wake(id: string): Promise<void> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [rows] = await tx.query<[{ fence: number }[], number]>(
        `UPDATE dedicated_agent_runs SET next_attempt_at = now(), attempts = 0
         WHERE id = $1 AND finished_at IS NULL RETURNING fence`,
        [id],
      );
      const [woken] = rows;
      return woken ? this.claims.notify(followWork, [id], woken.fence, tx) : null;
    });
    if (receipt) this.outbox.publishSoon([receipt]);
  }

  private async take(
    tx: EntityManager,
    userId: number,
    id: string,
    { choice, requestId, all }: ApprovalAnswer,
  ): Promise<{ run: GatewayRunRef; taken: PendingApproval[] }> {
    const [row] = await tx.query<(RunRow & { now: Date })[]>(
      `SELECT ${RUN_COLUMNS}, now() AS now FROM ${RUNS} WHERE r.id = $1 AND a.user_id = $2 FOR NO KEY UPDATE OF r`,
      [id, userId],
    );
    if (!row) throw runNotFound();
    const { now, pending } = row;
    const isOpen = ({ taken_at: at, expires_at: until }: PendingApproval) =>
      (!at || now.getTime() - Date.parse(at) > ANSWER_SECONDS * 1000) && (!until || Date.parse(until) > now.getTime());
    const open = pending.filter(isOpen);
    const named = requestId === null ? open : open.filter((one) => one.request_id === requestId);
    const taken = all ? open : named.slice(0, 1);
    if (row.gatewayRunId === null || row.status === 'stopping' || taken.length === 0) throw notPending();
    for (const { choices } of taken) if (!choices.includes(choice)) throw invalidChoice(choices);
    const ids = new Set(taken.map((one) => one.request_id));
    const marked = pending.map((one) => (ids.has(one.request_id) ? { ...one, taken_at: now.toISOString() } : one));
    await tx.query(`UPDATE dedicated_agent_runs SET pending = $2::jsonb, ${LOOKED_AT_SOON} WHERE id = $1`, [
      id,
      toJsonText(marked),
    ]);
    return { run: refOf(row), taken };
  }

  /** The answer did not arrive: it may be given again. */
  private async giveBack(id: string, requestId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE dedicated_agent_runs SET pending = coalesce((SELECT jsonb_agg(CASE WHEN p.one->>'request_id' = $2
         THEN p.one - 'taken_at' ELSE p.one END ORDER BY p.at) FROM jsonb_array_elements(pending) WITH ORDINALITY AS p (one, at)), '[]')
       WHERE id = $1`,
      [id, requestId],
    );
  }
}

const refOf = ({ id: runId, agentId, userId, gatewayRunId }: RunRow): GatewayRunRef => ({
  runId,
  agentId,
  userId,
  gatewayRunId: gatewayRunId!,
});

function digestOf(run: NewAgentRun): string {
  const { origin, input, instructions = '', model = '', sessionId = null, jobId = null, attachedFiles = [] } = run;
  // As keys were written down before there was a choice.
  const chosen = run.onExpiry === 'halt' ? [run.onExpiry] : [];
  const asked = [origin, input, instructions, model, sessionId, jobId, attachedFiles, ...chosen];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

function toDomainError(error: unknown): unknown {
  if (error instanceof GatewayUnreachableError)
    return new BadGatewayError('The agent cannot be reached.', { code: 'gateway_unreachable', cause: error });
  if (!(error instanceof GatewayRefusedError)) return error;
  const { message, code, status } = error;
  if (status === 400) return new InvalidRequestError(message, { code });
  if (status === 404) return new NotFoundError(message, { code });
  if (status === 429) return new RateLimitedError(message, TRY_AGAIN_SECONDS, { code });
  return new ConflictError(message, { code });
}

const notPending = () => new ConflictError('No such question waits for an answer.', { code: 'approval_not_pending' });

const notActive = (status: AgentRunStatus) =>
  new ConflictError(`The run is ${status}.`, { code: 'run_not_active', extra: { status } });

const invalidChoice = (choices: readonly string[]) =>
  new InvalidRequestError(`choice must be one of ${choices.join(', ')}.`, { code: 'invalid_approval_choice' });

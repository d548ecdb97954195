import { newTimeOrderedId } from '@app/common';
import { retriedTransaction } from '@app/entities';
import type { TokenUsage } from '@app/integrations';
import type { CallNeed } from '@app/models';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type BudgetDefaults, type CapSources, effectiveCaps } from './caps.js';
import { lockCounters, readCounters, type CounterRow } from './counters.js';
import { budgetExceeded } from './exceeded.js';
import { countersOf } from './periods.js';
import { type Amount, type BudgetLine, decide, isClosed, isOverSoftCap } from './room.js';

export const BUDGET_DEFAULTS = Symbol('BUDGET_DEFAULTS');

/** For which a reservation stands unless whoever made the call puts it off. */
export const LEASE_SECONDS = 60;

/** Of an agent, on the day it is. */
export interface BudgetFacts extends CapSources {
  agentId: string;
  jobId: string | null;
  /** `YYYY-MM-DD` in UTC. */
  day: string;
}

export interface SoftCapWarning {
  scope: BudgetLine['scope'];
  spent: { cost: number; tokens: number };
  soft: { cost: number | null; tokens: number | null };
  hard: { cost: number | null; tokens: number | null };
}

export type Reserved =
  | { does: 'hold'; id: string; maxOutputTokens: number | null }
  | { does: 'wait' }
  | { does: 'refuse'; error: Error };

const TODAY = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`;
const CAPS = `a.id AS "agentId", a.operator_caps AS "operatorCaps", a.owner_caps AS "ownerCaps"`;

/** Counters and reservations in Postgres. Whoever writes counters locks them in the order of their keys. */
@Injectable()
export class BudgetBook {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(BUDGET_DEFAULTS) private readonly defaults: BudgetDefaults,
  ) {}

  /** Whether the turn is a run of an agent. */
  async isRun(turnId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>('SELECT FROM dedicated_agent_runs WHERE id = $1', [turnId]);
    return rows.length > 0;
  }

  /** Sets aside what the call can take; that it is refused is written down, too. Null: the run is gone. */
  reserve(runId: string, need: CallNeed): Promise<Reserved | null> {
    return retriedTransaction(this.dataSource, async (tx) => {
      const facts = await this.factsOfRun(tx, runId);
      if (!facts) return null;
      const { agentId, jobId, day } = facts;
      const rows = await lockCounters(tx, agentId, countersOf({ runId, jobId, day }));
      const decision = decide(this.linesOf(rows, facts), need);
      if (decision.does === 'wait') return decision;
      if (decision.does === 'refuse') {
        const { line, of, least } = decision;
        await tx.query(
          `UPDATE dedicated_agent_spending SET refused_cost = coalesce($3, refused_cost),
             refused_tokens = coalesce($4, refused_tokens) WHERE agent_id = $1 AND key = $2`,
          [agentId, line.key, of.cost ? line.caps.hardCost : null, of.tokens ? line.caps.hardTokens : null],
        );
        return { does: 'refuse', error: this.errorOf(line, day, of.cost, least) };
      }
      const id = newTimeOrderedId();
      const { cost, tokens } = decision.amount;
      const keys = rows.map(({ key }) => key);
      await tx.query(
        `INSERT INTO dedicated_agent_reservations (id, agent_id, keys, cost, tokens, is_priced, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + ${LEASE_SECONDS} * interval '1 second')`,
        [id, agentId, keys, cost.toFixed(10), tokens, need.price !== null],
      );
      await tx.query(
        `UPDATE dedicated_agent_spending SET reserved_cost = reserved_cost + $3::numeric, reserved_tokens = reserved_tokens + $4::bigint
         WHERE agent_id = $1 AND key = ANY ($2)`,
        [agentId, keys, cost.toFixed(10), tokens],
      );
      return { does: 'hold', id, maxOutputTokens: decision.maxOutputTokens };
    });
  }

  /**
   * What the call really took, in place of what was set aside. Once: who comes second finds nothing.
   * @returns soft caps that are reached, which the run was not told of
   */
  settle(id: string, runId: string, usage: TokenUsage): Promise<SoftCapWarning[]> {
    const { promptTokens, completionTokens, cost = null } = usage;
    const taken = { cost, tokens: promptTokens + completionTokens };
    return retriedTransaction(this.dataSource, async (tx) => {
      const rows = await this.close(tx, id, taken);
      return rows.length === 0 ? [] : this.warningsFor(tx, runId, rows);
    });
  }

  /** The calls are still under way. */
  async putOff(ids: readonly string[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE dedicated_agent_reservations SET expires_at = now() + ${LEASE_SECONDS} * interval '1 second' WHERE id = ANY ($1)`,
      [ids],
    );
  }

  /** Reservations of processes that were lost count as spent: nobody knows whether the call was made. @returns how many */
  async sweep(limit = 100): Promise<number> {
    const lost = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM dedicated_agent_reservations WHERE expires_at < now() ORDER BY expires_at LIMIT $1',
      [limit],
    );
    for (const { id } of lost) await retriedTransaction(this.dataSource, (tx) => this.close(tx, id, null));
    return lost.length;
  }

  /** What was used elsewhere, and is told of afterwards. */
  async add(tx: EntityManager, runId: string, taken: { cost: number | null; tokens: number }): Promise<void> {
    const facts = await this.factsOfRun(tx, runId);
    if (!facts) return;
    const counters = countersOf({ runId, jobId: facts.jobId, day: facts.day });
    await lockCounters(tx, facts.agentId, counters);
    await this.spend(
      tx,
      facts.agentId,
      counters.map(({ key }) => key),
      taken,
    );
  }

  /**
   * Whether anything may begin, of the agent or of a job of it.
   * @throws ConflictError `budget_exceeded` with `scope` and `resets_at`
   */
  async requireOpen(tx: EntityManager, agentId: string, jobId: string | null): Promise<void> {
    const [facts] = await tx.query<[BudgetFacts]>(
      `SELECT ${CAPS}, $2::uuid AS "jobId", (SELECT j.budget FROM dedicated_agent_jobs j WHERE j.id = $2) AS "jobBudget", ${TODAY}
       FROM dedicated_agents a WHERE a.id = $1`,
      [agentId, jobId],
    );
    const rows = await readCounters(tx, agentId, countersOf({ jobId, day: facts.day }));
    const closed = this.linesOf(rows, facts).find((line, at) => isClosed(line, rows[at]!));
    if (!closed) return;
    const { hardCost } = closed.caps;
    const row = rows.find(({ key }) => key === closed.key)!;
    const isMoney = hardCost !== null && (closed.spent.cost >= hardCost || (row.refusedCost ?? -1) >= hardCost);
    throw this.errorOf(closed, facts.day, isMoney);
  }

  /** True once for each period of a scope, for whoever tells the owner that it is used up. */
  async isFirstToTell(tx: EntityManager, agentId: string, jobId: string, scope: unknown): Promise<boolean> {
    const [{ day }] = await tx.query<[{ day: string }]>(`SELECT ${TODAY}`);
    const counter = countersOf({ jobId, day }).find((one) => one.scope === scope);
    if (!counter) return false;
    const [, count] = await tx.query<[unknown, number]>(
      'UPDATE dedicated_agent_spending SET owner_told = true WHERE agent_id = $1 AND key = $2 AND NOT owner_told',
      [agentId, counter.key],
    );
    return count > 0;
  }

  /** @param taken null: all of what was set aside @returns the counters as they stand now; none: it was closed before */
  private async close(
    tx: EntityManager,
    id: string,
    taken: { cost: number | null; tokens: number } | null,
  ): Promise<CounterRow[]> {
    const [[gone]] = await tx.query<
      [{ agentId: string; keys: string[]; cost: string; tokens: string; isPriced: boolean }[], number]
    >(
      `DELETE FROM dedicated_agent_reservations WHERE id = $1
       RETURNING agent_id AS "agentId", keys, cost::text, tokens::text, is_priced AS "isPriced"`,
      [id],
    );
    if (!gone) return [];
    const { agentId, keys, cost, tokens, isPriced } = gone;
    await readCounters(
      tx,
      agentId,
      keys.map((key) => ({ key })),
      'locked',
    );
    await tx.query(
      `UPDATE dedicated_agent_spending SET reserved_cost = reserved_cost - $3::numeric, reserved_tokens = reserved_tokens - $4::bigint
       WHERE agent_id = $1 AND key = ANY ($2)`,
      [agentId, keys, cost, tokens],
    );
    await this.spend(tx, agentId, keys, taken ?? { cost: isPriced ? Number(cost) : null, tokens: Number(tokens) });
    return readCounters(
      tx,
      agentId,
      keys.map((key) => ({ key })),
    );
  }

  private async spend(
    tx: EntityManager,
    agentId: string,
    keys: readonly string[],
    { cost, tokens }: { cost: number | null; tokens: number },
  ): Promise<void> {
    // A try that the endpoint refused at once took nothing, and is no call that somebody would look for.
    const isCall = tokens > 0 || (cost ?? 0) > 0;
    await tx.query(
      `UPDATE dedicated_agent_spending SET spent_cost = spent_cost + $3::numeric, spent_tokens = spent_tokens + $4::bigint,
         calls = calls + $5::int, unpriced_calls = unpriced_calls + $6::int, updated_at = now()
       WHERE agent_id = $1 AND key = ANY ($2)`,
      [agentId, keys, (cost ?? 0).toFixed(10), tokens, isCall ? 1 : 0, isCall && cost === null ? 1 : 0],
    );
  }

  private async warningsFor(tx: EntityManager, runId: string, rows: readonly CounterRow[]): Promise<SoftCapWarning[]> {
    const run = rows.find(({ scope }) => scope === 'run');
    const facts = run && (await this.factsOfRun(tx, runId));
    if (!run || !facts) return [];
    const reached = this.linesOf(rows, facts).filter((line) => isOverSoftCap(line) && !run.told.includes(line.key));
    if (reached.length === 0) return [];
    await tx.query('UPDATE dedicated_agent_spending SET told = told || $3::text[] WHERE agent_id = $1 AND key = $2', [
      facts.agentId,
      run.key,
      reached.map(({ key }) => key),
    ]);
    return reached.map(({ scope, spent, caps }) => ({
      scope,
      spent,
      soft: { cost: caps.softCost, tokens: caps.softTokens },
      hard: { cost: caps.hardCost, tokens: caps.hardTokens },
    }));
  }

  private async factsOfRun(tx: EntityManager, runId: string): Promise<BudgetFacts | null> {
    const [facts] = await tx.query<BudgetFacts[]>(
      `SELECT ${CAPS}, r.job_id AS "jobId", j.budget AS "jobBudget", ${TODAY}
       FROM dedicated_agent_runs r JOIN dedicated_agents a ON a.id = r.agent_id LEFT JOIN dedicated_agent_jobs j ON j.id = r.job_id
       WHERE r.id = $1`,
      [runId],
    );
    return facts ?? null;
  }

  private linesOf(rows: readonly CounterRow[], sources: CapSources): BudgetLine[] {
    return rows.map((row) => ({
      key: row.key,
      scope: row.scope,
      caps: effectiveCaps(row.scope, sources, this.defaults),
      spent: { cost: row.spentCost, tokens: row.spentTokens },
      reserved: { cost: row.reservedCost, tokens: row.reservedTokens },
    }));
  }

  private errorOf(line: BudgetLine, day: string, isMoney: boolean, next?: Amount): Error {
    return budgetExceeded(line, { day, currency: this.defaults.currency, isMoney, ...(next && { next }) });
  }
}

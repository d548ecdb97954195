import { type AuditAction, AuditLog } from '@app/audit';
import { type FieldErrors, ValidationError } from '@app/common';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BUDGET_DEFAULTS } from './budget-book.js';
import {
  BUDGET_SCOPES,
  type BudgetDefaults,
  type BudgetScope,
  type CapSources,
  type Caps,
  effectiveCaps,
  limitsOf,
  mistakesIn,
  NO_CAPS,
  setCaps,
  type StoredCaps,
} from './caps.js';
import { readCounters } from './counters.js';
import { countersOf, resetOf } from './periods.js';
import { type Amount, isClosed } from './room.js';

export interface ScopeBudget {
  /** Of the owner. */
  own: Caps;
  /** Of the operator. */
  limits: Caps;
  /** What holds of the two. */
  effective: Caps;
  /** Null where it is counted for each run or job by itself. */
  spent: Amount | null;
  reserved: Amount | null;
  isExhausted: boolean;
  resetsAt: string | null;
}

export interface AgentBudgetView {
  agentId: string;
  currency: string;
  /** Of this month, of models without a price. */
  unpricedCalls: number;
  scopes: Record<BudgetScope, ScopeBudget>;
}

type Doer = { userId: number; username: string } | 'terminal';
type CapsRow = CapSources & { agentId: string; day: string };

/** The caps of agents, as their owners and operators see and set them. Whether there is an agent is asked before. */
@Injectable()
export class BudgetCaps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    @Inject(BUDGET_DEFAULTS) private readonly defaults: BudgetDefaults,
  ) {}

  /** Null where the user has no agent. */
  async find(userId: number, tx: EntityManager = this.dataSource.manager): Promise<AgentBudgetView | null> {
    const row = await this.rowOf(tx, userId);
    return row && this.viewOf(tx, row);
  }

  /** What an agent may spend in a month before its owner is told so; null: whatever it likes. */
  async softCostOfMonth(userId: number): Promise<number | null> {
    const row = await this.rowOf(this.dataSource.manager, userId);
    return row && effectiveCaps('month', row, this.defaults).softCost;
  }

  /** In place of those that the owner had set. @throws ValidationError by `<scope>.<cap>` */
  setOwn(
    userId: number,
    caps: StoredCaps,
    doer: Doer,
    nameOf: (cap: keyof Caps) => string,
  ): Promise<AgentBudgetView | null> {
    return this.change(userId, doer, 'owner', (row) => {
      const errors: FieldErrors = {};
      for (const scope of BUDGET_SCOPES)
        for (const [name, mistake] of Object.entries(
          mistakesIn(caps[scope] ?? {}, limitsOf(scope, row, this.defaults)) ?? {},
        ))
          errors[`${scope}.${nameOf(name as keyof Caps)}`] = [mistake];
      if (Object.keys(errors).length > 0) throw new ValidationError(errors);
      return caps;
    });
  }

  /** Beside those that an operator had set; null: as the settings have it. @throws ValidationError by `<scope>.<cap>` */
  setOperators(userId: number, caps: StoredCaps, doer: Doer): Promise<AgentBudgetView | null> {
    return this.change(userId, doer, 'operator', ({ operatorCaps }) => {
      const errors: FieldErrors = {};
      const all: StoredCaps = {};
      for (const scope of BUDGET_SCOPES) {
        const set = setCaps({ ...operatorCaps[scope], ...caps[scope] }) ?? {};
        // 0 takes a cap of the settings away.
        const real = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== 0));
        for (const [name, mistake] of Object.entries(mistakesIn(real) ?? {})) errors[`${scope}.${name}`] = [mistake];
        if (Object.keys(set).length > 0) all[scope] = set;
      }
      if (Object.keys(errors).length > 0) throw new ValidationError(errors);
      return all;
    });
  }

  private change(
    userId: number,
    doer: Doer,
    who: 'owner' | 'operator',
    decide: (row: CapsRow) => StoredCaps,
  ): Promise<AgentBudgetView | null> {
    return this.dataSource.transaction(async (tx) => {
      // Of two that change them at once, the second one sees the first.
      await tx.query('SELECT FROM dedicated_agents WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
      const row = await this.rowOf(tx, userId);
      if (!row) return null;
      const caps = Object.fromEntries(
        Object.entries(decide(row)).flatMap(([scope, set]) => {
          const kept = setCaps(set);
          return kept ? [[scope, kept]] : [];
        }),
      ) as StoredCaps;
      await (who === 'owner'
        ? tx.query('UPDATE dedicated_agents SET owner_caps = $2::jsonb WHERE user_id = $1', [
            userId,
            JSON.stringify(caps),
          ])
        : tx.query('UPDATE dedicated_agents SET operator_caps = $2::jsonb WHERE user_id = $1', [
            userId,
            JSON.stringify(caps),
          ]));
      const action: AuditAction = 'agent.budget_changed';
      await this.audit.record(
        {
          action,
          actor: doer === 'terminal' ? null : doer,
          subjectId: userId,
          target: `agent:${row.agentId}`,
          details: { caps, of: who, ...(doer === 'terminal' && { by: 'terminal' }) },
        },
        tx,
      );
      return this.viewOf(tx, (await this.rowOf(tx, userId))!);
    });
  }

  private async viewOf(tx: EntityManager, row: CapsRow): Promise<AgentBudgetView> {
    const { agentId, day } = row;
    const counters = countersOf({ jobId: null, day });
    const rows = await readCounters(tx, agentId, counters);
    const scopeOf = (scope: BudgetScope): ScopeBudget => {
      const effective = effectiveCaps(scope, row, this.defaults);
      const isCounted = scope === 'day' || scope === 'month';
      const counter = rows.find((one) => one.scope === scope);
      const spent = { cost: counter?.spentCost ?? 0, tokens: counter?.spentTokens ?? 0 };
      return {
        own: { ...NO_CAPS, ...row.ownerCaps[scope] },
        limits: limitsOf(scope, row, this.defaults),
        effective,
        spent: isCounted ? spent : null,
        reserved: isCounted ? { cost: counter?.reservedCost ?? 0, tokens: counter?.reservedTokens ?? 0 } : null,
        isExhausted: counter !== undefined && isClosed({ caps: effective, spent }, counter),
        resetsAt: resetOf(scope, day),
      };
    };
    return {
      agentId,
      currency: this.defaults.currency,
      unpricedCalls: rows.find(({ scope }) => scope === 'month')?.unpricedCalls ?? 0,
      scopes: { run: scopeOf('run'), job: scopeOf('job'), day: scopeOf('day'), month: scopeOf('month') },
    };
  }

  private async rowOf(tx: EntityManager, userId: number): Promise<CapsRow | null> {
    const [row] = await tx.query<CapsRow[]>(
      `SELECT a.id AS "agentId", a.operator_caps AS "operatorCaps", a.owner_caps AS "ownerCaps", NULL::jsonb AS "jobBudget",
         to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM dedicated_agents a WHERE a.user_id = $1`,
      [userId],
    );
    return row ?? null;
  }
}

import { flagForDedicatedAgent, listMembers, lockDedicatedAgentFlag } from '@app/auth';
import { Gates, listPoolsWith } from '@app/entitlements';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AgentLife } from './agent-life.js';
import type { AgentRecord } from './dedicated-agents.js';

const FEATURE = 'dedicated_agent';
/** Says of a paused agent that its plan paused it: what people and operators paused is not resumed here. */
const PAUSED_BY_PLAN = 'The plan does not include a dedicated agent, or has expired.';
const PAGE = 500;

/**
 * Agents as plans give them, where the feature gate is on: made for those whose plan has the flag, paused when it goes, and
 * resumed when it comes back; never deleted. What an operator stopped or paused stays so.
 */
@Injectable()
export class AgentsByPlan {
  constructor(
    private readonly dataSource: DataSource,
    private readonly gates: Gates,
    private readonly life: AgentLife,
  ) {}

  /** @returns whether anything has changed. Runs that are under way go on. */
  async settle(userId: number): Promise<boolean> {
    const changed = await this.dataSource.transaction((tx) => this.settleWithin(tx, userId));
    if (changed) this.life.announce(userId);
    return changed;
  }

  async settleOrganization(organizationId: number): Promise<void> {
    for (const userId of await listMembers(this.dataSource, organizationId)) await this.settle(userId);
  }

  /** Everybody, for what no push told of: one that was lost, or somebody who joined or left an organisation. */
  async settleAll(): Promise<void> {
    let after = 0;
    for (;;) {
      const rows = await this.dataSource.query<{ userId: number }[]>(
        // Where nothing is enforced, those alone that an enforcement of before has paused.
        `SELECT user_id AS "userId" FROM dedicated_agents
         WHERE user_id > $1 AND status <> 'stopped' AND (NOT $2 OR note = $3) ORDER BY user_id LIMIT ${PAGE}`,
        [after, this.gates.areOpen, PAUSED_BY_PLAN],
      );
      for (const { userId } of rows) await this.settle(userId);
      if (rows.length < PAGE) break;
      after = rows.at(-1)!.userId;
    }
    if (this.gates.enforcesFeatures) await this.settleWithoutAgent();
  }

  private async settleWithoutAgent(): Promise<void> {
    const { organizations, accounts } = await listPoolsWith(this.dataSource, FEATURE);
    const members = await listMembers(this.dataSource, ...organizations);
    const known = await this.dataSource.query<{ id: number }[]>(
      'SELECT u.id FROM unnest($1::int[]) u (id) WHERE NOT EXISTS (SELECT FROM dedicated_agents a WHERE a.user_id = u.id)',
      [[...accounts, ...members]],
    );
    for (const { id } of known) await this.settle(id);
  }

  private async settleWithin(tx: EntityManager, userId: number): Promise<boolean> {
    // Two that settle the same account do it one after the other.
    const isFlagged = await lockDedicatedAgentFlag(tx, userId);
    if (isFlagged === null) return false;
    const isRefused = (await this.gates.refusalNow(tx, userId, FEATURE)) !== null;
    const [agent] = await tx.query<Pick<AgentRecord, 'status' | 'note'>[]>(
      'SELECT status, note FROM dedicated_agents WHERE user_id = $1 FOR NO KEY UPDATE',
      [userId],
    );
    if (isRefused) return this.pause(tx, userId, agent);
    if (agent?.status === 'paused' && agent.note === PAUSED_BY_PLAN)
      return (
        (await this.life.becomeWithin(tx, userId, { status: 'running', from: ['paused'], note: '' }, 'plan')) !== null
      );
    if (agent || !this.gates.enforcesFeatures) return false;
    if (!isFlagged) await flagForDedicatedAgent(tx, userId);
    await this.life.grantWithin(tx, userId, 'plan');
    return true;
  }

  private async pause(tx: EntityManager, userId: number, agent: Pick<AgentRecord, 'status'> | undefined) {
    if (agent?.status !== 'running' && agent?.status !== 'provisioning') return false;
    const change = { status: 'paused', from: [agent.status], note: PAUSED_BY_PLAN } as const;
    return (await this.life.becomeWithin(tx, userId, change, 'plan')) !== null;
  }
}

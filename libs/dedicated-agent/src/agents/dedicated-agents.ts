import { ConflictError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

export interface AgentRecord {
  id: string;
  userId: number;
  status: 'provisioning' | 'running' | 'paused' | 'stopped';
  note: string;
}

const COLUMNS = 'a.id, a.user_id AS "userId", a.status, a.note';

/** Agents as their owners see them. */
@Injectable()
export class DedicatedAgents {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws NotFoundError for a user without one, and for one whose account is not flagged for it any more */
  async get(userId: number, tx: EntityManager | DataSource = this.dataSource): Promise<AgentRecord> {
    const [agent] = await tx.query<AgentRecord[]>(
      `SELECT ${COLUMNS} FROM dedicated_agents a JOIN users u ON u.id = a.user_id WHERE a.user_id = $1 AND u.dedicated_agent`,
      [userId],
    );
    if (!agent) throw noAgent();
    return agent;
  }

  /** The same, locked until the end of the transaction: what is begun for one agent at once is begun in order. @throws as `get` */
  async hold(userId: number, tx: EntityManager): Promise<AgentRecord> {
    const [agent] = await tx.query<AgentRecord[]>(
      `SELECT ${COLUMNS} FROM dedicated_agents a JOIN users u ON u.id = a.user_id
       WHERE a.user_id = $1 AND u.dedicated_agent FOR NO KEY UPDATE OF a`,
      [userId],
    );
    if (!agent) throw noAgent();
    return agent;
  }

  /** The same, where something is asked of it. @throws as `get`; ConflictError `agent_not_running` */
  async getRunning(userId: number, tx?: EntityManager): Promise<AgentRecord> {
    const agent = await this.get(userId, tx);
    requireRunning(agent);
    return agent;
  }

  /** In whose name an agent does what its owner could do. @throws as `get` */
  async ownerOf(userId: number): Promise<{ userId: number; username: string }> {
    const [owner] = await this.dataSource.query<{ userId: number; username: string }[]>(
      `SELECT u.id AS "userId", u.username FROM dedicated_agents a JOIN users u ON u.id = a.user_id
       WHERE a.user_id = $1 AND u.dedicated_agent`,
      [userId],
    );
    if (!owner) throw noAgent();
    return owner;
  }

  /** How the agent of a flagged account stands; null where it has none yet. Whether it is flagged is not asked here. */
  async findStatus(userId: number): Promise<AgentRecord['status'] | null> {
    const [agent] = await this.dataSource.query<{ status: AgentRecord['status'] }[]>(
      'SELECT status FROM dedicated_agents WHERE user_id = $1',
      [userId],
    );
    return agent?.status ?? null;
  }
}

/** @throws ConflictError `agent_not_running` */
export function requireRunning({ status }: AgentRecord): void {
  if (status === 'running') return;
  throw new ConflictError(`The agent is ${status}.`, { code: 'agent_not_running', extra: { status } });
}

const noAgent = () => new NotFoundError('no dedicated agent for this user', { code: 'agent_not_found' });

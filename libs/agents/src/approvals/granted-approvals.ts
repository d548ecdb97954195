import { NotFoundError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Approvals } from '../agent/approvals.js';

export interface GrantedApproval {
  id: number;
  summary: string;
  /** Null: in every conversation. */
  conversationId: string | null;
  createdAt: Date;
}

/** Of one user; beyond it the oldest one goes. */
const MAX_APPROVALS = 1_000;

/** What users have allowed their agents beforehand, for one conversation or for all. */
@Injectable()
export class GrantedApprovals {
  constructor(private readonly dataSource: DataSource) {}

  /** As the agent of one conversation asks for them. */
  of(userId: number, conversationId: string): Approvals {
    return {
      isGranted: (key) => this.isGranted(userId, conversationId, key),
      remember: (key, summary, scope) => this.grant(userId, scope === 'always' ? '' : conversationId, key, summary),
    };
  }

  /** Newest first. */
  async list(userId: number, at: PageRequest): Promise<Page<GrantedApproval>> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM agent_approvals WHERE user_id = $1',
      [userId],
    );
    const items = await this.dataSource.query<GrantedApproval[]>(
      `SELECT id, summary, NULLIF(conversation_id, '') AS "conversationId", created_at AS "createdAt"
       FROM agent_approvals WHERE user_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
      [userId, at.pageSize, (at.page - 1) * at.pageSize],
    );
    return { count, items };
  }

  /** From then on the agent asks again. @throws NotFoundError `approval_not_found` */
  async revoke(userId: number, id: number): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM agent_approvals WHERE user_id = $1 AND id = $2',
      [userId, id],
    );
    if (count === 0) throw new NotFoundError('There is no such approval.', { code: 'approval_not_found' });
  }

  private async isGranted(userId: number, conversationId: string, key: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT FROM agent_approvals WHERE user_id = $1 AND key = $2 AND conversation_id IN ('', $3) LIMIT 1`,
      [userId, key, conversationId],
    );
    return rows.length > 0;
  }

  private async grant(userId: number, conversationId: string, key: string, summary: string): Promise<void> {
    await this.dataSource.query(
      `WITH kept AS (
         INSERT INTO agent_approvals (user_id, key, conversation_id, summary) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, key, conversation_id) DO NOTHING)
       DELETE FROM agent_approvals WHERE id IN (
         SELECT id FROM agent_approvals WHERE user_id = $1 ORDER BY id DESC OFFSET ${MAX_APPROVALS - 1})`,
      [userId, key, conversationId, summary],
    );
  }
}

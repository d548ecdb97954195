import { removeConversation } from '@app/agents';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const BATCH = 50;

/** Runs that ended long ago go, with what was told of them; conversations of the console stay. */
@Injectable()
export class AgentRunRetention {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns whether there may be more */
  async removeSome(days: number): Promise<boolean> {
    const old = await this.dataSource.query<{ id: string; userId: number; hasSession: boolean }[]>(
      `SELECT r.id, a.user_id AS "userId", r.session_id IS NOT NULL AS "hasSession"
       FROM dedicated_agent_runs r JOIN dedicated_agents a ON a.id = r.agent_id
       WHERE r.finished_at < now() - $1 * interval '1 day' ORDER BY r.finished_at LIMIT ${BATCH}`,
      [days],
    );
    for (const { id, userId, hasSession } of old) {
      // Before its run, without which nobody would know of it.
      if (!hasSession) await removeConversation(this.dataSource, { userId, kind: 'dedicated-run', conversationId: id });
      await this.dataSource.query('DELETE FROM dedicated_agent_runs WHERE id = $1 AND finished_at IS NOT NULL', [id]);
    }
    // Texts of notices stay with their conversations.
    const [, notices] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM dedicated_agent_notices WHERE id IN (SELECT id FROM dedicated_agent_notices
         WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT ${BATCH})`,
      [days],
    );
    return old.length === BATCH || notices === BATCH;
  }
}

import type { DataSource } from 'typeorm';

export interface FormerClaim {
  id: string;
  attempt: number;
  losses: number;
  deadline_at: Date;
}

/** A workflow-runner of the release that had claims of turns of its own: its statements, word by word. */
export class FormerTurnRunner {
  constructor(
    private readonly dataSource: DataSource,
    private readonly worker: string,
  ) {}

  async claim(sessionId: number): Promise<FormerClaim | null> {
    const [row] = await this.dataSource.query<FormerClaim[]>(
      `WITH next AS (
         SELECT t.id, t.status FROM chat_turns t WHERE t.session_id = $1 AND t.handler <> ''
           AND CASE t.status
           WHEN 'queued' THEN NOT EXISTS (SELECT 1 FROM chat_turns o WHERE o.session_id = $1 AND o.handler <> ''
             AND o.status IN ('running', 'waiting_input'))
           WHEN 'running' THEN t.lease_expires_at <= now() AND ($5::boolean OR t.lease_owner IS NULL)
           WHEN 'waiting_input' THEN t.reply IS NOT NULL OR t.wake_at <= now()
           ELSE false END
         ORDER BY t.status = 'queued', t.seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED),
       claimed AS (
         UPDATE chat_turns t SET status = 'running', attempt = t.attempt + 1, lease_owner = $2, wake_at = NULL,
           lease_expires_at = now() + $3 * interval '1 second', started_at = coalesce(t.started_at, now()),
           deadline_at = CASE next.status WHEN 'running' THEN t.deadline_at ELSE now() + $4 * interval '1 second' END,
           losses = CASE WHEN next.status = 'running' AND t.lease_owner IS NOT NULL THEN t.losses + 1 ELSE 0 END
         FROM next WHERE t.id = next.id RETURNING t.*)
       SELECT c.id, c.attempt, c.losses, c.deadline_at FROM claimed c`,
      [sessionId, this.worker, 20, 900, true],
    );
    return row ?? null;
  }

  /** @returns whether the turn is still its own */
  async extend({ id, attempt }: FormerClaim): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `WITH held AS (UPDATE chat_turns t SET lease_expires_at = now() + interval '20 seconds'
         WHERE t.id = $1 AND t.attempt = $2 AND t.status = 'running' RETURNING t.id) SELECT id FROM held`,
      [id, attempt],
    );
    return rows.length > 0;
  }

  async release(): Promise<void> {
    await this.dataSource.query(
      `UPDATE chat_turns SET lease_owner = NULL, lease_expires_at = now() WHERE lease_owner = $1 AND status = 'running'`,
      [this.worker],
    );
  }
}

import { workflowRole } from '@app/access';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LiveSocket } from './live-socket.js';

export interface Membership {
  workflowId: string;
  socket: LiveSocket;
}

/** Those who ask within so long are looked up together. */
const GATHER_MS = 5;

interface Question {
  membership: Membership;
  answer: (mayStay: boolean) => void;
  fail: (error: unknown) => void;
}

/** Whether whoever opened a socket still has the session and a role on the workflow. */
@Injectable()
export class SocketRights {
  private questions: Question[] = [];

  constructor(private readonly dataSource: DataSource) {}

  /** As `findLost`, for one; many at a time cost one query. */
  mayStay(membership: Membership): Promise<boolean> {
    return new Promise((answer, fail) => {
      this.questions.push({ membership, answer, fail });
      if (this.questions.length === 1) setTimeout(() => void this.ask(), GATHER_MS);
    });
  }

  /** @returns those that have to go. */
  async findLost(memberships: readonly Membership[]): Promise<Membership[]> {
    const byKey = new Map<string, Membership[]>();
    for (const membership of memberships) {
      const { workflowId, socket } = membership;
      const key = `${socket.principal.sessionId} ${socket.principal.userId} ${workflowId}`;
      const same = byKey.get(key);
      if (same) same.push(membership);
      else byKey.set(key, [membership]);
    }
    if (byKey.size === 0) return [];
    const groups = [...byKey.values()];
    const rows = await this.dataSource.query<{ position: number }[]>(
      `SELECT m.position::int FROM unnest($1::uuid[], $2::int[], $3::uuid[])
         WITH ORDINALITY AS m(session_id, user_id, workflow_id, position)
       LEFT JOIN sessions s ON s.id = m.session_id AND s.revoked_at IS NULL AND s.absolute_expires_at > now()
       LEFT JOIN users u ON u.id = m.user_id AND u.is_active
       LEFT JOIN workflows w ON w.id = m.workflow_id AND w.deleted_at IS NULL
       WHERE s.id IS NULL OR u.id IS NULL OR w.id IS NULL OR ${workflowRole('w', 'm.user_id')} IS NULL`,
      [
        groups.map(([first]) => first!.socket.principal.sessionId),
        groups.map(([first]) => first!.socket.principal.userId),
        groups.map(([first]) => first!.workflowId),
      ],
    );
    return rows.flatMap(({ position }) => groups[position - 1]!);
  }

  private async ask(): Promise<void> {
    const asked = this.questions;
    this.questions = [];
    try {
      const lost = new Set(await this.findLost(asked.map(({ membership }) => membership)));
      for (const { membership, answer } of asked) answer(!lost.has(membership));
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

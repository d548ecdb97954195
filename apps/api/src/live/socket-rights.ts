import { workflowRole } from '@app/access';
import type { DataSource } from 'typeorm';
import type { AnySocket } from './socket-rooms.js';

export interface Membership {
  /** The id of the workflow, or of the conversation. */
  subject: string;
  socket: AnySocket;
}

/** In SQL, over the rows `m(session_id, user_id, subject)`: who may not be there any more. */
export interface AccessRule {
  /** A further join. */
  join: string;
  lost: string;
}

export const WORKFLOW_RULE: AccessRule = {
  join: 'LEFT JOIN workflows w ON w.id = m.subject::uuid AND w.deleted_at IS NULL',
  lost: `w.id IS NULL OR ${workflowRole('w', 'm.user_id')} IS NULL`,
};

/** Before anybody has written in a conversation, nobody is a stranger to it. */
export const CONVERSATION_RULE: AccessRule = {
  join: 'LEFT JOIN chat_conversations c ON c.conversation_id = m.subject',
  lost: 'c.user_id <> m.user_id',
};

/** Those who ask within so long are looked up together. */
const GATHER_MS = 5;

interface Question {
  membership: Membership;
  answer: (mayStay: boolean) => void;
  fail: (error: unknown) => void;
}

/** Whether whoever opened a socket still has the session and the right to what it shows. */
export class SocketRights {
  private questions: Question[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly rule: AccessRule,
  ) {}

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
      const { subject, socket } = membership;
      const key = `${socket.principal.sessionId} ${socket.principal.userId} ${subject}`;
      const same = byKey.get(key);
      if (same) same.push(membership);
      else byKey.set(key, [membership]);
    }
    if (byKey.size === 0) return [];
    const groups = [...byKey.values()];
    const rows = await this.dataSource.query<{ position: number }[]>(
      `SELECT m.position::int FROM unnest($1::uuid[], $2::int[], $3::text[])
         WITH ORDINALITY AS m(session_id, user_id, subject, position)
       LEFT JOIN sessions s ON s.id = m.session_id AND s.revoked_at IS NULL AND s.absolute_expires_at > now()
       LEFT JOIN users u ON u.id = m.user_id AND u.is_active
       ${this.rule.join}
       WHERE s.id IS NULL OR u.id IS NULL OR ${this.rule.lost}`,
      [
        groups.map(([first]) => first!.socket.principal.sessionId),
        groups.map(([first]) => first!.socket.principal.userId),
        groups.map(([first]) => first!.subject),
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

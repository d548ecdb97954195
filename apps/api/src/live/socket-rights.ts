import { type FollowedKind, findLostFollowers } from '@app/access';
import type { DataSource } from 'typeorm';
import type { AnySocket } from './socket-rooms.js';

export interface Membership {
  /** The id of the workflow, the conversation or the agent. */
  subject: string;
  socket: AnySocket;
}

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
    private readonly kind: FollowedKind,
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
    const groups = [...byKey.values()].map((same) => {
      const { subject, socket } = same[0]!;
      return { sessionId: socket.principal.sessionId, userId: socket.principal.userId, subject, same };
    });
    const lost = await findLostFollowers(this.dataSource, this.kind, groups);
    return lost.flatMap(({ same }) => same);
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

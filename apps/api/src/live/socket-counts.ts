import { RateLimitedError } from '@app/common';
import { instruments } from '@app/observability';
import type { AnySocket } from './socket-rooms.js';

/** When a client that has too many may try again; none of them need have closed by then. */
const RETRY_SECONDS = 5;

/** How many sockets each user has on this replica, over all channels. */
export class SocketCounts {
  private readonly counts = new Map<number, number>();

  constructor(private readonly socketsPerUser: number) {}

  /** @throws RateLimitedError for who has as many as one may have. */
  admit(userId: number): void {
    if (this.countOf(userId) >= this.socketsPerUser)
      throw new RateLimitedError(`At most ${this.socketsPerUser} sockets can be open at a time.`, RETRY_SECONDS);
  }

  /** Counts it until it closes. */
  add(socket: AnySocket): void {
    const { userId } = socket.principal;
    this.counts.set(userId, this.countOf(userId) + 1);
    instruments.openSockets.inc();
    socket.onClose(() => {
      instruments.openSockets.dec();
      const left = this.countOf(userId) - 1;
      if (left > 0) this.counts.set(userId, left);
      else this.counts.delete(userId);
    });
  }

  private countOf(userId: number): number {
    return this.counts.get(userId) ?? 0;
  }
}

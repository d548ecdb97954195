import { type LiveBus, PRESENCE_SECONDS } from '@app/live';
import type { PeriodicTasks } from '@app/queues';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOSE } from './close-codes.js';
import type { LiveSocket } from './live-socket.js';
import type { SocketCounts } from './socket-counts.js';
import type { Membership, SocketRights } from './socket-rights.js';

/** Rights that were taken away without a push are noticed after this long. */
const RECHECK_SECONDS = 4;
const KEEP_ALIVE_SECONDS = 30;

/** A socket of whatever channel. */
export type AnySocket = Pick<LiveSocket, 'principal' | 'close' | 'onClose' | 'checkAlive' | 'isOpen'>;

/** What the sockets on one subject, such as a workflow or a conversation, are served by on this replica. */
export interface Room<S extends AnySocket> {
  readonly members: ReadonlySet<S>;
  leave(socket: S): void;
  /** Changes may have gone unheard. */
  catchUp(): void;
  keepPresence(): void;
  end(): void;
}

export interface RoomServices {
  live: LiveBus;
  rights: SocketRights;
  tasks: PeriodicTasks;
  counts: SocketCounts;
}

/** The rooms of one channel on this replica. Whoever loses their session or their access is put out within 5 s. */
export abstract class SocketRooms<S extends AnySocket, R extends Room<S>>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly logger: Logger;
  private readonly rooms = new Map<string, R>();

  /** @param channel names it in logs and tasks. */
  protected constructor(
    private readonly channel: string,
    private readonly services: RoomServices,
  ) {
    this.logger = new Logger(`${channel} sockets`);
  }

  /** @param onAccessChange is called when somebody's rights may be gone. */
  protected abstract open(subject: string, onAccessChange: () => void): R;

  onApplicationBootstrap(): void {
    const { live, tasks } = this.services;
    live.onGap(() => {
      for (const room of this.rooms.values()) room.catchUp();
    });
    live
      .subscribe('principals', (change) => {
        const concerned = this.memberships().filter(({ socket: { principal } }) =>
          'sessionId' in change ? principal.sessionId === change.sessionId : principal.userId === change.userId,
        );
        void this.recheck(concerned);
      })
      .catch((error: Error) => this.logger.warn(`Ended sessions are not pushed: ${error.message}`));
    tasks.every(`rights of ${this.channel} sockets`, RECHECK_SECONDS, () => this.recheck(this.memberships()));
    tasks.every(`silent ${this.channel} sockets`, KEEP_ALIVE_SECONDS, async () => {
      for (const { socket } of this.memberships()) socket.checkAlive();
    });
    tasks.every(`presence of ${this.channel} sockets`, PRESENCE_SECONDS / 3, async () => {
      for (const room of this.rooms.values()) room.keepPresence();
    });
  }

  /** Clients are told to come back, to another replica. */
  beforeApplicationShutdown(): void {
    for (const room of this.rooms.values()) {
      for (const socket of room.members) socket.close(CLOSE.goingAway);
      room.end();
    }
    this.rooms.clear();
  }

  /** @param join lets it in, once `mayStay` has said that its rights are still there. */
  protected admit(subject: string, socket: S, join: (room: R, mayStay: () => Promise<boolean>) => Promise<void>): void {
    const { rights, counts } = this.services;
    const room = this.roomOf(subject);
    counts.add(socket);
    socket.onClose(() => {
      room.leave(socket);
      if (room.members.size > 0 || this.rooms.get(subject) !== room) return;
      room.end();
      this.rooms.delete(subject);
    });
    const mayStay = async () => {
      const stays = await rights.mayStay({ subject, socket });
      if (!stays) socket.close(CLOSE.accessEnded);
      return stays;
    };
    join(room, mayStay).catch((error: unknown) => {
      this.logger.warn(`A socket could not be served: ${String(error)}`);
      socket.close(CLOSE.goingAway);
    });
  }

  private roomOf(subject: string): R {
    const known = this.rooms.get(subject);
    if (known) return known;
    const room: R = this.open(subject, () => {
      void this.recheck([...room.members].map((socket) => ({ subject, socket })));
    });
    this.rooms.set(subject, room);
    return room;
  }

  private memberships(): Membership[] {
    return [...this.rooms].flatMap(([subject, { members }]) => [...members].map((socket) => ({ subject, socket })));
  }

  private async recheck(memberships: readonly Membership[]): Promise<void> {
    try {
      for (const { socket } of await this.services.rights.findLost(memberships)) socket.close(CLOSE.accessEnded);
    } catch (error) {
      this.logger.warn(`The rights of sockets could not be checked: ${String(error)}`);
    }
  }
}

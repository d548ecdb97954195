import { LiveBus } from '@app/live';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The waiters for the requests of one workflow. */
interface Room {
  waiting: Map<string, Set<(hasEnded: boolean) => void>>;
  unsubscribe: Promise<() => void>;
  poll: NodeJS.Timeout;
  timer: NodeJS.Timeout | null;
  isChecking: boolean;
  isDue: boolean;
}

/** In case a notification is lost. */
const POLL_MS = 1000;
/** A busy workflow tells of every node; it is looked at at most so often. */
const PAUSE_MS = 25;
const MAX_WAITERS = 2000;

/** Tells callers when the run of their request is over, or has answered them. Between looks nothing is held but a timer. */
@Injectable()
export class RequestEnds implements OnModuleDestroy {
  private readonly logger = new Logger(RequestEnds.name);
  private readonly rooms = new Map<string, Room>();
  private count = 0;
  private isClosing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
  ) {
    live.onGap(() => {
      for (const [workflowId, room] of this.rooms) this.look(workflowId, room);
    });
  }

  /**
   * Resolves when the request has ended or was answered, the time is up, the signal aborts, or the process stops.
   * @returns whether there is something to tell; false at once when too many wait already.
   */
  async wait(workflowId: string, requestId: string, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (this.isClosing || signal.aborted || this.count >= MAX_WAITERS) return false;
    const room = this.rooms.get(workflowId) ?? this.open(workflowId);
    this.count += 1;
    let settle!: (hasEnded: boolean) => void;
    const ended = new Promise<boolean>((resolve) => (settle = resolve));
    const waiters = room.waiting.get(requestId) ?? new Set();
    room.waiting.set(requestId, waiters.add(settle));
    const giveUp = () => settle(false);
    const timer = setTimeout(giveUp, milliseconds);
    signal.addEventListener('abort', giveUp, { once: true });
    // Once notifications arrive: it may have ended before.
    room.unsubscribe.then(
      () => this.look(workflowId, room),
      () => null,
    );
    try {
      return await ended;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      this.count -= 1;
      waiters.delete(settle);
      if (waiters.size === 0) room.waiting.delete(requestId);
      if (room.waiting.size === 0) this.close(workflowId, room);
    }
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    for (const { waiting } of this.rooms.values())
      for (const waiters of waiting.values()) for (const settle of waiters) settle(false);
  }

  private open(workflowId: string): Room {
    const room: Room = {
      waiting: new Map(),
      unsubscribe: this.live.subscribe(`workflow:${workflowId}`, ({ type }) => {
        if (type === 'nodes_changed') this.look(workflowId, room);
      }),
      poll: setInterval(() => this.look(workflowId, room), POLL_MS),
      timer: null,
      isChecking: false,
      isDue: false,
    };
    room.unsubscribe.catch((error: Error) => this.logger.warn(`Ends of runs are not pushed: ${error.message}`));
    this.rooms.set(workflowId, room);
    return room;
  }

  private close(workflowId: string, room: Room): void {
    if (this.rooms.get(workflowId) !== room) return;
    this.rooms.delete(workflowId);
    clearInterval(room.poll);
    if (room.timer) clearTimeout(room.timer);
    room.unsubscribe.then(
      (stop) => stop(),
      () => null,
    );
  }

  private look(workflowId: string, room: Room): void {
    if (room.isChecking || room.timer) room.isDue = true;
    else if (this.rooms.get(workflowId) === room) void this.check(workflowId, room);
  }

  private async check(workflowId: string, room: Room): Promise<void> {
    room.isChecking = true;
    room.isDue = false;
    try {
      const ended = await this.dataSource.query<{ id: string }[]>(
        `SELECT q.id FROM workflow_requests q WHERE q.id = ANY($1::uuid[]) AND (q.status NOT IN ('pending', 'running') OR EXISTS (
           SELECT 1 FROM workflow_responses a WHERE a.request_id = q.id AND a.run_version = q.run_version))`,
        [[...room.waiting.keys()]],
      );
      for (const { id } of ended) for (const settle of room.waiting.get(id) ?? []) settle(true);
    } catch (error) {
      this.logger.warn(`Requests of ${workflowId} could not be looked at: ${String(error)}`);
    }
    room.isChecking = false;
    room.timer = setTimeout(() => {
      room.timer = null;
      if (room.isDue) this.look(workflowId, room);
    }, PAUSE_MS);
  }
}

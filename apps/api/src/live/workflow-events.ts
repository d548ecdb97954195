import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowLiveEvent } from '@app/contracts';
import type { LiveEventLog } from '@app/live';
import type { RevisionCache } from '@app/workflows';
import { Logger } from '@nestjs/common';
import type { LiveSocket } from './live-socket.js';

const RESYNC = Buffer.from(JSON.stringify({ type: 'resync', reason: 'events_lost' }));
const RENDER_TRIES = 3;
const RETRY_MS = 200;

interface Resuming {
  socket: LiveSocket;
  after: number;
  caughtUp: () => void;
}

/**
 * The events of one workflow: each goes to every socket once, in the order of `seq`. All steps are taken one after the
 * other, so what is heard while a client's missed events are read waits until that client has them.
 */
export class WorkflowEvents {
  private readonly logger = new Logger(WorkflowEvents.name);
  private readonly resuming: Resuming[] = [];
  private steps: Promise<void> = Promise.resolve();
  /** The last event that all sockets were sent. */
  private sent = 0;
  /** The highest place that a client brought along from another replica. */
  private brought = 0;

  /**
   * @param sockets those that are sent events.
   * @param shown what of a definition they may see.
   */
  constructor(
    private readonly workflowId: string,
    private readonly log: LiveEventLog,
    private readonly revisions: RevisionCache,
    private readonly sockets: ReadonlySet<LiveSocket>,
    private readonly shown: (jsonSpec: Record<string, unknown>) => Promise<Record<string, unknown>>,
  ) {}

  /** A frame for all sockets that is numbered now has to be beyond it. */
  get floor(): number {
    return Math.max(this.sent, this.brought);
  }

  /** Events up to here are the past. */
  startAfter(seq: number): void {
    this.sent = Math.max(this.sent, seq);
  }

  receive(event: WorkflowLiveEvent): void {
    this.step(() => this.deliver(event));
  }

  /** What was missed while nothing could be heard goes to everybody. */
  catchUp(): void {
    this.step(() => this.replay([]));
  }

  /**
   * Sends the socket what came after `after`, or `{type: resync}` first when some of that is lost.
   * @param caughtUp called when it has them: whoever adds it to the sockets then and there misses nothing.
   */
  resume(socket: LiveSocket, after: number, caughtUp: () => void): void {
    this.resuming.push({ socket, after, caughtUp });
    // Many come back at once when a replica dies: one reading serves all of them.
    if (this.resuming.length === 1) this.step(() => this.replay(this.resuming.splice(0)));
  }

  private step(work: () => Promise<void>): void {
    this.steps = this.steps.then(work).catch((error: unknown) => this.logger.error(String(error)));
  }

  private async replay(waiting: readonly Resuming[]): Promise<void> {
    try {
      const from = Math.min(this.sent, ...waiting.map(({ after }) => after));
      const { events, completeAfter, now } = await this.log.readAfter(`workflow:${this.workflowId}`, from);
      // A Redis that forgot everything, or one whose clock is behind.
      if (this.sent < completeAfter || this.sent > now) {
        for (const socket of this.sockets) socket.sendEvent(RESYNC);
        this.sent = completeAfter;
      }
      for (const { socket, after } of waiting) {
        if (after < completeAfter || after > now) socket.sendEvent(RESYNC);
        else this.brought = Math.max(this.brought, after);
      }
      for (const event of events as WorkflowLiveEvent[]) {
        const behind = waiting.filter(({ after }) => after < event.seq!).map(({ socket }) => socket);
        await this.deliver(event, behind);
      }
    } catch (error) {
      this.logger.warn(`The events of ${this.workflowId} could not be read: ${String(error)}`);
      for (const { socket } of waiting) socket.sendEvent(RESYNC);
    }
    for (const { caughtUp } of waiting) caughtUp();
  }

  /** @param behind sockets that are sent it even when the others have it. */
  private async deliver(event: WorkflowLiveEvent, behind: readonly LiveSocket[] = []): Promise<void> {
    const seq = event.seq!;
    const isNew = seq > this.sent;
    if (!isNew && behind.length === 0) return;
    const frame = await this.render(event);
    if (isNew) this.sent = seq;
    for (const socket of new Set([...behind, ...(isNew ? this.sockets : [])])) socket.sendEvent(frame);
  }

  /** A frame that cannot be made is told as lost: the clients read what there is. */
  private async render(event: WorkflowLiveEvent): Promise<Buffer> {
    const { seq } = event;
    if (event.type === 'agent_response')
      return toFrame({ type: 'agent_response', node_id: event.nodeExecutionId, data: event.data, seq });
    const { contentRevision, actor } = event;
    for (let tries = 1; ; tries += 1) {
      try {
        const { jsonSpec } = await this.revisions.get(this.workflowId, contentRevision);
        const data = await this.shown(jsonSpec);
        const by = actor ? { actor } : {};
        return toFrame({ type: 'workflow_definition_updated', data, ...by, content_revision: contentRevision, seq });
      } catch (error) {
        this.logger.warn(`Revision ${contentRevision} of ${this.workflowId} could not be read: ${String(error)}`);
        if (tries === RENDER_TRIES) return RESYNC;
        await sleep(RETRY_MS);
      }
    }
  }
}

function toFrame(frame: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify(frame));
}

import type { WorkflowProgress } from '@app/workflows';
import { Logger } from '@nestjs/common';
import { toNodeRowResponse } from '../workflows/node-row.dto.js';
import type { LiveSocket } from './live-socket.js';

/** Full lists go out at most this often; a burst of changes becomes a few frames, the last one complete. */
const INTERVAL_MS = 100;
/** The longer a list keeps the process busy, the rarer it is: one list has at most this share of it. */
const BUSY_SHARE = 1 / 3;
const MAX_INTERVAL_MS = 2000;
/** A list that no change was heard of since may be given to who connects so much later. */
const FRESH_MS = 1000;

interface List {
  /** Everything but the `seq`: what tells one list from another. */
  body: string;
  frame: Buffer;
  seq: number;
  loadedAt: number;
}

export interface NodeListSource {
  load(): Promise<WorkflowProgress | null>;
  sockets: ReadonlySet<LiveSocket>;
  /** Of a frame that is about to be sent. */
  nextSeq(): number;
  /** What a socket may have had already. */
  floor(): number;
  onGone(): void;
}

/** The full lists of one workflow: one loading at a time, one frame for all sockets, none that says what they know. */
export class NodeListFrames {
  private readonly logger = new Logger(NodeListFrames.name);
  /** Sockets that have no list yet. */
  private readonly newcomers = new Set<LiveSocket>();
  private list: List | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isLoading = false;
  private isDue = false;
  private nextAt = 0;

  constructor(
    private readonly workflowId: string,
    private readonly source: NodeListSource,
  ) {}

  /** Something changed: the list is sent again, now or when its turn comes. */
  refresh(): void {
    this.isDue = true;
    this.schedule();
  }

  /** The list for a socket that has just come. */
  welcome(socket: LiveSocket): void {
    const { list } = this;
    if (list && !this.isDue && !this.isLoading && Date.now() - list.loadedAt < FRESH_MS) {
      socket.sendState(this.stamped(list).frame);
      return;
    }
    this.newcomers.add(socket);
    this.refresh();
  }

  forget(socket: LiveSocket): void {
    this.newcomers.delete(socket);
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.newcomers.clear();
  }

  private schedule(): void {
    if (this.timer || this.isLoading) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        void this.send();
      },
      Math.max(0, this.nextAt - Date.now()),
    );
  }

  private async send(): Promise<void> {
    if (this.source.sockets.size === 0) return;
    let busyMs = 0;
    this.isLoading = true;
    this.isDue = false;
    const newcomers = [...this.newcomers];
    this.newcomers.clear();
    try {
      const loadedAt = Date.now();
      const progress = await this.source.load();
      const startedAt = performance.now();
      if (progress) this.distribute(progress, loadedAt, newcomers);
      else this.source.onGone();
      busyMs = performance.now() - startedAt;
    } catch (error) {
      this.logger.warn(`The nodes of ${this.workflowId} could not be read: ${String(error)}`);
      for (const socket of newcomers) if (socket.isOpen) this.newcomers.add(socket);
      this.isDue = true;
    }
    this.isLoading = false;
    const pause = busyMs * (1 / BUSY_SHARE - 1);
    this.nextAt = Date.now() + Math.min(Math.max(pause, INTERVAL_MS), MAX_INTERVAL_MS);
    if (this.isDue) this.schedule();
  }

  private distribute(progress: WorkflowProgress, loadedAt: number, newcomers: readonly LiveSocket[]): void {
    const body = JSON.stringify({
      type: 'workflow_nodes',
      data: progress.nodes.map(toNodeRowResponse),
      run_version: progress.runVersion,
      status: progress.status,
    });
    if (this.list?.body === body) {
      this.list.loadedAt = loadedAt;
      const { frame } = this.stamped(this.list);
      for (const socket of newcomers) socket.sendState(frame);
      return;
    }
    const seq = this.source.nextSeq();
    this.list = { body, frame: toFrame(body, seq), seq, loadedAt };
    for (const socket of this.source.sockets) socket.sendState(this.list.frame);
    // Those who came during the loading have it with the others.
    this.newcomers.clear();
  }

  /** With a `seq` beyond what resumes here has had. */
  private stamped(list: List): List {
    if (list.seq <= this.source.floor()) {
      list.seq = this.source.nextSeq();
      list.frame = toFrame(list.body, list.seq);
    }
    return list;
  }
}

function toFrame(body: string, seq: number): Buffer {
  return Buffer.from(`${body.slice(0, -1)},"seq":${seq}}`);
}

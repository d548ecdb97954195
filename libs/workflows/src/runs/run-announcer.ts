import { LiveBus } from '@app/live';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

const INTERVAL_MS = 50;

interface Pending {
  runVersion: number | null;
  timer: NodeJS.Timeout;
}

/** Tells the followers of a workflow that nodes changed: at once, then at most every 50 ms, and always after the last change. */
@Injectable()
export class RunAnnouncer implements OnApplicationShutdown {
  private readonly pending = new Map<string, Pending>();

  constructor(private readonly live: LiveBus) {}

  /** Call it after commit. */
  nodesChanged(workflowId: string, runVersion: number): void {
    const pending = this.pending.get(workflowId);
    if (pending) {
      pending.runVersion = runVersion;
      return;
    }
    this.live.publish(`workflow:${workflowId}`, { type: 'nodes_changed', runVersion });
    const timer = setTimeout(() => this.settle(workflowId), INTERVAL_MS);
    this.pending.set(workflowId, { runVersion: null, timer });
  }

  onApplicationShutdown(): void {
    for (const [workflowId, { timer }] of this.pending) {
      clearTimeout(timer);
      this.settle(workflowId);
    }
    for (const { timer } of this.pending.values()) clearTimeout(timer);
  }

  private settle(workflowId: string): void {
    const version = this.pending.get(workflowId)?.runVersion ?? null;
    this.pending.delete(workflowId);
    if (version !== null) this.nodesChanged(workflowId, version);
  }
}

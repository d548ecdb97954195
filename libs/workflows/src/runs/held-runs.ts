import { processSuspects } from '@app/isolation';
import type { StoredActors } from '@app/workflow-definition';
import type { RunHandle } from './run-store.js';

/** What the store itself remembers of a run that this process holds. */
export interface HeldRun {
  workflowId: string;
  version: number;
  contentRevision: number;
  bodyPath: string[];
  lostLeases: number;
  saveOutputs: boolean;
  workerId: string;
  /** Requests that were started back to back before this one. */
  chain: number;
  actsAs: StoredActors | null;
  ownerId: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** It answers to no parent, and holds its workflow's turn. */
  isPlain: boolean;
}

/** The runs that this process has claimed and not let go of, and which of them is its suspect. */
export class HeldRuns {
  private readonly runs = new Map<string, HeldRun>();
  /** Shared with turns; tests set another. */
  suspects = processSuspects;

  get size(): number {
    return this.runs.size;
  }

  has(runId: string): boolean {
    return this.runs.has(runId);
  }

  find({ runId }: RunHandle): HeldRun | undefined {
    return this.runs.get(runId);
  }

  get(run: RunHandle): HeldRun {
    const held = this.find(run);
    if (!held) throw new Error(`Run ${run.runId} is not held by this process.`);
    return held;
  }

  hold(runId: string, held: HeldRun): void {
    this.runs.set(runId, held);
  }

  letGo(runId: string): void {
    this.runs.delete(runId);
    this.suspects.leave(runId);
  }
}

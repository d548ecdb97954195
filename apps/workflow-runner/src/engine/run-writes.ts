import type { NodeState } from '@app/workflow-definition';
import type { ClaimedRun, RunOutcome } from '@app/workflows';
import type { ExecutorSettings } from './executor-options.js';

/** How this worker and the run parted: `abandoned` when a stop or another worker was faster. */
export type SessionEnd =
  | { kind: 'finished'; next: ClaimedRun | null; parentRunId: string | null }
  | { kind: 'parked' }
  | { kind: 'abandoned' };

/** What one session writes of its run. While the database is away a write is tried again. */
export class RunWrites {
  constructor(
    private readonly run: ClaimedRun,
    private readonly settings: ExecutorSettings,
    private readonly isAbandoned: () => boolean,
  ) {}

  async finish(nodes: readonly NodeState[], outcome: RunOutcome): Promise<SessionEnd> {
    const written = await this.write(() => this.settings.store.finishRun(this.run, nodes, outcome));
    return written?.accepted
      ? { kind: 'finished', next: written.next, parentRunId: written.parentRunId }
      : { kind: 'abandoned' };
  }

  /** Gives the run back. @param wakeAt epoch milliseconds; null: only a signal wakes it. @returns false: it is no longer ours */
  async park(nodes: readonly NodeState[], wakeAt: number | null): Promise<boolean> {
    const isAccepted = await this.write(() => this.settings.store.parkRun(this.run, nodes, wakeAt));
    if (isAccepted) this.announceQuestions(nodes);
    return isAccepted === true;
  }

  /** @returns false: the run is no longer ours */
  async save(nodes: readonly NodeState[]): Promise<boolean> {
    if (nodes.length === 0) return true;
    const isAccepted = await this.write(() => this.settings.store.saveProgress(this.run, nodes));
    if (isAccepted) this.announceQuestions(nodes);
    return isAccepted === true;
  }

  /** Null: the run was abandoned in the meantime. Throws what the last try threw. */
  async write<T>(attempt: () => Promise<T>): Promise<T | null> {
    for (const pause of [...this.settings.writeRetryMs, null]) {
      try {
        return await attempt();
      } catch (error) {
        if (this.isAbandoned()) return null;
        if (pause === null) throw error;
        this.settings.logger.warn('A write of a run failed and is tried again', {
          runId: this.run.runId,
          error: error instanceof Error ? error.message : String(error),
        });
        await new Promise((resolve) => setTimeout(resolve, pause));
        if (this.isAbandoned()) return null;
      }
    }
    return null;
  }

  /** Only now: an answer to a question that is not yet written would be refused. */
  private announceQuestions(nodes: readonly NodeState[]): void {
    for (const { nodeId, status, waiting } of nodes) {
      if (status !== 'WAITING' || !waiting?.question || waiting.id === undefined || waiting.answer) continue;
      const { workflowId, runId, version, bodyPath } = this.run;
      const { id: questionId, question, until: expiresAt = null } = waiting;
      this.settings.onQuestion?.({ workflowId, runId, version, bodyPath, nodeId, questionId, question, expiresAt });
    }
  }
}

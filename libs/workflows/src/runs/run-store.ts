import type { ChildEnd, ItemState, JsonText, NodeState, OutputHint, StoredOutput } from '@app/workflow-definition';
import type { Acting } from '../actors/acting.js';

/** The right to write to a run: `fence` rises with each claim, and only the newest one is accepted. */
export interface RunHandle {
  runId: string;
  fence: number;
}

/** What a waiting node was waiting for: a person's answer, or `{runId, status, error}` of a child run that has ended. */
export interface RunSignal {
  nodeId: string;
  /** `NodeWait.id`. */
  waitId: string;
  value: unknown;
}

/** A run that a node starts and whose end it waits for: the signal `key` of that node. */
export interface ChildRun {
  nodeId: string;
  /** With whose rights the node works; absent: those of the owner. */
  actorId?: number;
  /** The child's id is made from it, so that asking twice starts one. Begins with `BODY_KEY` for bodies, only for them. */
  key: string;
  /** Null: the definition in the node's param `body`. */
  workflowId: string | null;
  payload: Record<string, unknown> | null;
}

/** Marks the runs of a node's own body: their definition stands inside their parent's. */
export const BODY_KEY = 'body:';

export type ChildStart =
  | { kind: 'started'; runId: string }
  /** The workflow is gone, in the trash, or not the actor's to run. */
  | { kind: 'not_found' }
  /** It is an app whose receiver has not agreed to what it reaches. */
  | { kind: 'consent_required' }
  | { kind: 'owner_inactive' }
  /** Too many levels of runs that start runs. */
  | { kind: 'too_deep' }
  /** Too many runs of the workflow that other runs started are active. */
  | { kind: 'too_many' }
  /** The run itself was stopped in the meantime. */
  | { kind: 'abandoned' };

export interface ClaimedRun extends RunHandle {
  workflowId: string;
  version: number;
  /** The nodes whose `body` leads to the definition, outermost first; empty for a whole workflow. */
  bodyPath: string[];
  /** `json_spec` of the revision that the run is pinned to; the same object for every run of that revision. Do not change it. */
  definition: unknown;
  /** What an earlier claim, or the run that a branch starts from, left behind; empty on the first claim of a whole run. */
  nodes: NodeState[];
  /** That no written state has taken in yet (`NodeState.consumed`). */
  signals: RunSignal[];
  /** What the trigger brought along; the entry nodes see it as `_webhook_payload`. */
  payload: Record<string, unknown> | JsonText | null;
  /** Run only these (a branch); null: all. */
  onlyNodeIds: string[] | null;
  /** Whose the run is. */
  ownerId: number;
  /** With whose rights its nodes work. Absent: all with those of the owner. */
  acting?: Acting;
  /** Of the request that asked for the run, for log lines. */
  requestId: string | null;
}

export interface RunOutcome {
  status: 'COMPLETED' | 'FAILED' | 'STOPPED';
  error?: { nodeId: string | null; code: string; message: string };
}

export interface FinishedRun {
  accepted: boolean;
  next: ClaimedRun | null;
  parentRunId: string | null;
}

/**
 * What the engine needs of the database. Every write carries the fence of its claim and changes nothing when a later
 * claim, or a stop, was faster.
 */
export abstract class RunStore {
  /** Null: there is nothing to do (already finished, held by a live worker, not due yet). */
  abstract claimRun(runId: string, workerId: string): Promise<ClaimedRun | null>;

  /** Upserts the given nodes. False: fenced out or stopped; abandon the run at once. */
  abstract saveProgress(run: RunHandle, nodes: readonly NodeState[]): Promise<boolean>;

  /**
   * Writes the given nodes and the end of the run, and closes its webhook request.
   * @returns whether the end was accepted, the workflow's next waiting request as a run that this worker holds, and the
   * run that waits for this one, which has a job.
   */
  abstract finishRun(run: RunHandle, nodes: readonly NodeState[], outcome: RunOutcome): Promise<FinishedRun>;

  /**
   * Lets go of a run that only waits. `wakeAt` in milliseconds since the epoch; null: until somebody answers.
   * False: fenced out or stopped.
   */
  abstract parkRun(run: RunHandle, nodes: readonly NodeState[], wakeAt: number | null): Promise<boolean>;

  /** Signals that came since the claim and that no written state has taken in. Announced by the live topic `runs:signal`. */
  abstract takeSignals(run: RunHandle): Promise<RunSignal[]>;

  /**
   * Ends a wait from this side (its time is over), so that an answer from now on is refused.
   * @returns the answer that was faster, else null.
   */
  abstract closeWait(run: RunHandle, nodeId: string, waitId: string): Promise<RunSignal | null>;

  /** Starts the child unless it was started before. @param run held by this worker. */
  abstract startChild(run: RunHandle, child: ChildRun): Promise<ChildStart>;

  /** Those of a node's child runs that have ended. */
  abstract childEnds(run: RunHandle, nodeId: string, keys: readonly string[]): Promise<ChildEnd[]>;

  /** Stops those of a node's child runs that have not ended. */
  abstract stopChildren(run: RunHandle, nodeId: string, keys: readonly string[], reason: string): Promise<void>;

  /** Upserts items of a batch node. False: fenced out or stopped; abandon the run at once. */
  abstract saveItems(run: RunHandle, nodeId: string, items: readonly ItemState[]): Promise<boolean>;

  /** The items that were written, by index; outputs are null without `withOutputs`. `to` is excluded. */
  abstract loadItems(
    run: RunHandle,
    nodeId: string,
    options: { withOutputs: boolean; from?: number; to?: number },
  ): Promise<ItemState[]>;

  /**
   * Takes a large output out of memory. What no row refers to in the end is swept.
   * @param source its JSON text, or a local file with it, which it copies
   */
  abstract keepOutput(
    run: RunHandle,
    source: JsonText | { path: string; preview: string },
    hint: OutputHint | null,
  ): Promise<StoredOutput>;

  /** @throws ToolError `output_lost` */
  abstract readOutput(output: StoredOutput): Promise<JsonText>;

  /** A kept output as a file of this machine, until it is released. @throws ToolError `output_lost` */
  abstract localOutput(output: StoredOutput): Promise<{ path: string; release(): Promise<void> }>;

  /** Renews the leases. @returns the ids that this worker still holds. */
  abstract heartbeat(runIds: readonly string[], workerId: string): Promise<string[]>;
}

import {
  type ChildRuns,
  type ItemRecords,
  type ItemResult,
  type ItemsOptions,
  measureJson,
  type NestedWork,
  type SideEffects,
  ToolError,
} from '@app/workflow-definition';
import type { ClaimedRun, NodeTask, RunStore } from '@app/workflows';
import type { LoopTurns } from './loop-turns.js';
import { ItemProcessor } from './item-processor.js';
import type { NodeHost } from './node-runner.js';

/** Written for each run, and read by it. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;

const REFUSALS = {
  not_found: () =>
    new ToolError(
      'workflow_not_found',
      'There is no such workflow, or who last changed this node may not run it.',
      false,
    ),
  consent_required: () =>
    new ToolError('consent_required', 'It is an app whose receiver has not agreed to what it reaches.', false),
  owner_inactive: () => new ToolError('owner_inactive', 'The account of the workflow’s owner is deactivated.', false),
  too_deep: () => new ToolError('too_deep', 'Too many levels of workflows that start workflows.', false),
  too_many: () =>
    new ToolError('too_many_runs', 'Too many runs that other runs started are at work for this workflow.'),
};

/** What the nested work of a node rests on. */
export interface NestedWorkBase extends Pick<NestedWork, 'runTool' | 'sideEffectsOf'> {
  store: RunStore;
  host: NodeHost;
  signal: AbortSignal;
  /** With whose rights the node works. */
  actorId: number;
  turns: LoopTurns;
  /** Makes any error one that people may see. */
  toToolError(error: unknown): ToolError;
}

/** Items and child runs of one node at work, over the store. */
export class NodeNestedWork implements NestedWork {
  readonly items: ItemRecords;
  readonly children: ChildRuns;

  constructor(
    private readonly run: ClaimedRun,
    private readonly task: NodeTask,
    private readonly base: NestedWorkBase,
  ) {
    const { host, store } = base;
    const nodeId = task.node.id;
    this.items = {
      report: (total, completed) => host.report(nodeId, total, completed),
      save: async (items) => {
        if (!(await this.asked(() => store.saveItems(run, nodeId, items)))) throw this.lost();
      },
      load: (options) => this.asked(() => store.loadItems(run, nodeId, { withOutputs: false, ...options })),
    };
    this.children = {
      start: (key, child) => this.startChild(key, child),
      ends: (keys) => this.asked(() => store.childEnds(run, nodeId, keys)),
      stop: (keys, reason) => this.asked(() => store.stopChildren(run, nodeId, keys, reason)),
    };
  }

  get failures(): number {
    return this.task.failures;
  }

  runTool(kind: string, params: Record<string, unknown>, key: string): Promise<unknown> {
    return this.base.runTool(kind, params, key);
  }

  sideEffectsOf(kind: string, params: Record<string, unknown>): SideEffects {
    return this.base.sideEffectsOf(kind, params);
  }

  bind(name: string, item: unknown, index: number): unknown {
    return this.task.bind(name, item, index);
  }

  processItems(
    items: readonly unknown[],
    process: (item: unknown, index: number) => Promise<unknown>,
    options: ItemsOptions,
  ): Promise<ItemResult[]> {
    const { items: records, failures: round } = this;
    const processOne = async (item: unknown, index: number): Promise<unknown> => {
      try {
        return await process(item, index);
      } catch (error) {
        throw this.base.toToolError(error);
      }
    };
    const turn = (): Promise<void> => this.base.turns.next(this.run.ownerId);
    return ItemProcessor.run({
      ...options,
      turn,
      items,
      process: processOne,
      records,
      signal: this.base.signal,
      round,
    });
  }

  private async startChild(
    key: string,
    child: { workflowId: string | null; payload: Record<string, unknown> },
  ): Promise<void> {
    const { store, actorId } = this.base;
    const size = measureJson(child.payload, MAX_PAYLOAD_BYTES);
    if (!size || size.bytes > MAX_PAYLOAD_BYTES) {
      const message = `What a run is started with is larger than ${MAX_PAYLOAD_BYTES} bytes.`;
      throw new ToolError('payload_too_large', message, false);
    }
    const start = await this.asked(() =>
      store.startChild(this.run, { nodeId: this.task.node.id, actorId, key, ...child }),
    );
    if (start.kind === 'started') {
      this.base.host.childStarted(start.runId);
      return;
    }
    if (start.kind === 'abandoned') throw this.lost();
    throw REFUSALS[start.kind]();
  }

  /** All that is asked may be asked twice: a database that restarts must not fail the node. */
  private async asked<T>(attempt: () => Promise<T>): Promise<T> {
    const answer = await this.base.host.write(attempt);
    if (answer === null) throw this.lost();
    return answer;
  }

  private lost(): ToolError {
    this.base.host.abandon();
    return new ToolError('aborted', 'The run has gone to another worker.', false);
  }
}

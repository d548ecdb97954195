import {
  type NodeUsage,
  sideEffectsOf,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';
import type { ClaimedRun, NodeTask } from '@app/workflows';
import { ActingNodes } from './acting-node.js';
import type { ExecutorSettings } from './executor-options.js';
import { durably } from './durably.js';
import { ApartNodes, type ResolvedLimits } from './apart-nodes.js';
import { NodeNestedWork } from './node-nested-work.js';
import { failure, type FailureLog, type NodeOutcome, toFailure, toToolError } from './node-outcome.js';
import { type HeldOutput, MAX_OUTPUT_BYTES, OutputHolder } from './output-holder.js';
import { MemoryShare } from './memory-budget.js';
import { MAX_PART_BYTES, runPart } from './run-part.js';
import { toToolContext } from './tool-context.js';
import { withSecrets } from './with-secrets.js';

const MB = 1024 * 1024;
/** What the params of each part of a node may come to: there may be a hundred thousand of them. */
const MAX_PART_PARAMS = MB;
/** The same of a node whose params hold secrets: they are filled in here, whatever it is. */
const MAX_SECRET_PARAMS = 24 * MB;
/** Work that waits for its turn elsewhere has a limit of its own once it has begun. */
const MIN_APART_SECONDS = 300;

/** What a node's own work tells the run that it belongs to. */
export interface NodeHost {
  /** How many items of a batch node there are, and are done. */
  report(nodeId: string, total: number, completed: number): void;
  /** What a part of the node used of language models. */
  use(nodeId: string, usage: NodeUsage): void;
  /** What was noticed while the params of a node were filled in elsewhere. */
  warn(nodeId: string, warnings: readonly string[]): void;
  /** Asks the store again while the database is away. Null: the run was abandoned in the meantime. */
  write<T>(attempt: () => Promise<T>): Promise<T | null>;
  /** A run that this one waits for has been started, and its job added. */
  childStarted(runId: string): void;
  /** The run cannot be carried on here, through no fault of its own. */
  breakDown(error: unknown): void;
  /** The store said that the run has gone to another worker, or was stopped. */
  abandon(): void;
}

/** Runs single nodes of one claimed run. Outcomes never throw, and their errors hold neither stack nor secret. */
export class NodeRunner {
  private readonly active = new Set<AbortController>();
  private readonly acting: ActingNodes;
  private readonly outputs: OutputHolder;
  private readonly apart: ApartNodes;
  private readonly failureLog: FailureLog;

  constructor(
    private readonly run: ClaimedRun,
    private readonly settings: ExecutorSettings,
    private readonly host: NodeHost,
  ) {
    this.acting = new ActingNodes(run, settings.catalogue, settings.rights);
    const { store, logger } = settings;
    this.failureLog = { runId: run.runId, logger };
    this.outputs = new OutputHolder(run, (source, hint) => durably(host, () => store.keepOutput(run, source, hint)));
    this.apart = new ApartNodes(run, settings.apart, {
      localOutput: (output) => durably(host, () => store.localOutput(output)),
      readOutput: (output) => durably(host, () => store.readOutput(output)),
    });
  }

  /** The outcome itself where the tool needs no waiting: a run of quick nodes then takes no turn of the event loop. */
  start(known: Tool | undefined, task: NodeTask): NodeOutcome | Promise<NodeOutcome> {
    const { node } = task;
    const opened = known && node.secretNames.length > 0 ? this.withSecretsOf(known, task) : known;
    const tool = opened && this.acting.guard(opened, task);
    if (!tool)
      return {
        kind: 'failed',
        code: 'unknown_kind',
        message: `There is no node kind "${node.kind}".`,
        retryable: false,
      };
    const controller = new AbortController();
    const memory = new MemoryShare(this.settings.memory, this.run.ownerId, controller.signal);
    let outcome: NodeOutcome | Promise<NodeOutcome>;
    try {
      if (task.held) outcome = this.startHeld(tool, task, memory, controller.signal);
      else {
        const result = tool.run(task.params, this.contextOf(task, controller.signal, memory));
        outcome = isPromise(result) ? result.then((ended) => this.toOutcome(ended)) : this.toOutcome(result);
      }
    } catch (error) {
      return toFailure(error, task.node, this.failureLog, controller.signal);
    }
    if (!isPromise(outcome)) return outcome;
    return this.settle(outcome, tool, task, controller).finally(() => memory.leave());
  }

  /** What the node refers to is large, or not here. */
  private async startHeld(tool: Tool, task: NodeTask, memory: MemoryShare, signal: AbortSignal): Promise<NodeOutcome> {
    const held = task.held!;
    if (this.apart.takes(task)) {
      await this.acting.check(task);
      const now = this.settings.clock.now();
      return this.apart.do(task, { now, signal }, async (answer, resultPath) => {
        this.host.warn(task.node.id, answer.warnings);
        if ('failed' in answer) return failure(answer.failed.code, answer.failed.message, answer.failed.retryable);
        const { output, bytes } = await this.outputs.adopt(answer, resultPath);
        return { kind: 'completed', output, bytes, ...(answer.chosen && { chosen: answer.chosen }) };
      });
    }
    await memory.take(held.bytes);
    const params = held.resolve(await this.apart.lookUp(held, signal));
    return this.toOutcome(await tool.run(params, this.contextOf({ ...task, params }, signal, memory)));
  }

  /** Tells every tool that is at work to stop; what they still return is nobody's business. */
  abortAll(): void {
    for (const controller of this.active) controller.abort();
    this.active.clear();
  }

  private withSecretsOf(known: Tool, task: NodeTask): Tool {
    const { secretNames } = task.node;
    const run: Tool['run'] = (params, context) => {
      const limits = { ...this.limitsOf(context), maxParams: MAX_SECRET_PARAMS, maxOutput: MAX_OUTPUT_BYTES };
      return this.apart.doResolved(known.kind, params, limits) ?? known.run(params, context);
    };
    return withSecrets({ ...known, run }, async () => {
      const { secrets } = this.settings;
      if (!secrets) throw new ToolError('unknown_secret', 'This deployment keeps no secrets.', false);
      return secrets.open(this.run.workflowId, secretNames, this.acting.userOf(task));
    });
  }

  private settle(
    outcome: Promise<NodeOutcome>,
    tool: Tool,
    task: NodeTask,
    controller: AbortController,
  ): Promise<NodeOutcome> {
    const own = this.apart.takes(task) ? Math.max(MIN_APART_SECONDS, tool.timeoutSeconds) : tool.timeoutSeconds;
    const seconds = task.node.timeoutSeconds ?? own;
    this.active.add(controller);
    return new Promise((resolve) => {
      const end = (outcome: NodeOutcome): void => {
        clearTimeout(timer);
        this.active.delete(controller);
        resolve(outcome);
      };
      const timer = setTimeout(() => {
        end({
          kind: 'failed',
          code: 'timeout',
          message: `The node took longer than ${seconds} seconds.`,
          retryable: true,
        });
        controller.abort();
      }, seconds * 1_000);
      controller.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      outcome.then(end, (error: unknown) => end(toFailure(error, task.node, this.failureLog, controller.signal)));
    });
  }

  private contextOf(task: NodeTask, signal: AbortSignal, memory: MemoryShare): ToolContext {
    const { run, settings } = this;
    const { node } = task;
    const context = toToolContext(run, settings, { task, signal, memory, userId: this.acting.userOf(task) });
    const nested = new NodeNestedWork(run, task, {
      store: settings.store,
      host: this.host,
      signal,
      actorId: context.viewer.userId,
      turns: settings.turns,
      runTool: (kind, partParams, key) => this.runPart(kind, partParams, key, context),
      sideEffectsOf: (kind, partParams) => sideEffectsOf(settings.catalogue.find(kind), partParams) ?? 'none',
      toToolError: (error) => toToolError(error, node, this.failureLog, signal),
    });
    return { ...context, nested };
  }

  private async runPart(
    kind: string,
    params: Record<string, unknown>,
    key: string,
    context: ToolContext,
  ): Promise<unknown> {
    const memory = new MemoryShare(this.settings.partsMemory, this.run.ownerId, context.signal);
    const idempotencyKey = `${context.idempotencyKey}:${key}`;
    const room = (bytes: number): Promise<void> => memory.take(bytes);
    const own: ToolContext = { ...context, idempotencyKey, next: [], resume: null, payload: null, room };
    const told = {
      used: (usage: NodeUsage): void => this.host.use(context.nodeId, usage),
      warned: (warnings: readonly string[]): void => this.host.warn(context.nodeId, warnings),
    };
    try {
      const limits = { ...this.limitsOf(own), maxParams: MAX_PART_PARAMS, maxOutput: MAX_PART_BYTES };
      const apart = this.apart.doResolved(kind, params, limits);
      return apart
        ? (await apart).output.parse()
        : await runPart(this.settings.catalogue.find(kind), kind, params, own, told);
    } finally {
      memory.leave();
    }
  }

  private limitsOf({ signal, next }: ToolContext): Pick<ResolvedLimits, 'now' | 'next' | 'signal'> {
    return { now: this.settings.clock.now(), next, signal };
  }

  private toOutcome(result: ToolResult): NodeOutcome | Promise<NodeOutcome> {
    if ('wait' in result) return { kind: 'waiting', waiting: result.wait };
    const completed = (held: HeldOutput): NodeOutcome => ({ kind: 'completed', ...result, ...held });
    const held = this.outputs.hold(result.output);
    return isPromise(held) ? held.then(completed) : completed(held);
  }
}

function isPromise<T extends object>(value: T | Promise<T>): value is Promise<T> {
  return 'then' in value;
}

import { DomainError, GatewayTimeoutError, BadGatewayError, RateLimitedError, UnavailableError } from '@app/common';
import {
  sideEffectsOf,
  ToolError,
  type ClaimedRun,
  type NodeTask,
  type NodeWait,
  type Tool,
  type ToolContext,
} from '@app/workflows';
import type { NodeUsage, ToolResult } from '@app/workflows';
import { ActingNodes } from './acting-node.js';
import type { ExecutorSettings } from './executor-options.js';
import { jsonSize } from './output-size.js';
import { NodeNestedWork } from './node-nested-work.js';
import { runPart } from './run-part.js';
import { withSecrets } from './with-secrets.js';

/** What is large goes to the file storage on its way to the row. */
export const MAX_OUTPUT_BYTES = 20 * 1024 * 1024;
/** Of all nodes of a run together: they stay in memory as long as the run is at work. */
export const MAX_RUN_OUTPUT_BYTES = 128 * 1024 * 1024;
const MAX_MESSAGE_LENGTH = 1_000;

/** What a node's own work tells the run that it belongs to. */
export interface NodeHost {
  /** How many items of a batch node there are, and are done. */
  report(nodeId: string, total: number, completed: number): void;
  /** What a part of the node used of language models. */
  use(nodeId: string, usage: NodeUsage): void;
  /** Asks the store again while the database is away. Null: the run was abandoned in the meantime. */
  write<T>(attempt: () => Promise<T>): Promise<T | null>;
  /** A run that this one waits for has been started and rung for. */
  childStarted(runId: string): void;
  /** The store said that the run has gone to another worker, or was stopped. */
  abandon(): void;
}

export type NodeOutcome =
  | { kind: 'completed'; output: unknown; chosen?: string[]; warnings?: string[]; usage?: NodeUsage }
  | { kind: 'failed'; code: string; message: string; retryable: boolean }
  | { kind: 'waiting'; waiting: NodeWait };

/** Runs single nodes of one claimed run. Outcomes never throw, and their errors hold neither stack nor secret. */
export class NodeRunner {
  private readonly active = new Set<AbortController>();
  private readonly acting: ActingNodes;
  private outputBytes = 0;

  constructor(
    private readonly run: ClaimedRun,
    private readonly settings: ExecutorSettings,
    private readonly host: NodeHost,
  ) {
    this.acting = new ActingNodes(run, settings.catalogue, settings.rights);
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
    let result: ToolResult | Promise<ToolResult>;
    try {
      result = tool.run(task.params, this.contextOf(task, controller.signal));
      if (!isPromise(result)) return this.toOutcome(result);
    } catch (error) {
      return this.toFailure(error, task);
    }
    return this.settle(result, tool, task, controller);
  }

  /** Tells every tool that is at work to stop; what they still return is nobody's business. */
  abortAll(): void {
    for (const controller of this.active) controller.abort();
    this.active.clear();
  }

  private withSecretsOf(tool: Tool, { node: { secretNames } }: NodeTask): Tool {
    return withSecrets(tool, async () => {
      const { secrets } = this.settings;
      if (!secrets) throw new ToolError('unknown_secret', 'This deployment keeps no secrets.', false);
      return secrets.open(this.run.workflowId, secretNames);
    });
  }

  private settle(
    result: Promise<ToolResult>,
    tool: Tool,
    task: NodeTask,
    controller: AbortController,
  ): Promise<NodeOutcome> {
    const seconds = task.node.timeoutSeconds ?? tool.timeoutSeconds;
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
      result.then((ended) => this.toOutcome(ended)).then(end, (error: unknown) => end(this.toFailure(error, task)));
    });
  }

  private contextOf(task: NodeTask, signal: AbortSignal): ToolContext {
    const { run, settings } = this;
    const { node, params, attempt, resume } = task;
    const payload = params._webhook_payload;
    const fieldsOf = (fields?: Record<string, unknown>): Record<string, unknown> => ({
      ...fields,
      runId: run.runId,
      nodeId: node.id,
    });
    const context: ToolContext = {
      ...settings.ports,
      signal,
      runId: run.runId,
      nodeId: node.id,
      attempt,
      idempotencyKey: `${run.runId}:${node.id}`,
      viewer: { userId: this.acting.userOf(task), runId: run.runId },
      next: node.next,
      resume,
      payload: typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : null,
      now: () => settings.clock.now(),
      sleep: (milliseconds) => sleep(milliseconds, signal),
      progress: (update) =>
        settings.onProgress?.({
          workflowId: run.workflowId,
          runId: run.runId,
          bodyPath: run.bodyPath,
          nodeId: node.id,
          update,
        }),
      text: (written) =>
        settings.onText?.({
          workflowId: run.workflowId,
          runId: run.runId,
          version: run.version,
          nodeId: node.id,
          attempt,
          written,
        }),
      log: {
        info: (message, fields) => settings.logger.log(message, fieldsOf(fields)),
        warn: (message, fields) => settings.logger.warn(message, fieldsOf(fields)),
      },
    };
    const nested = new NodeNestedWork(run, task, {
      store: settings.store,
      host: this.host,
      signal,
      actorId: context.viewer.userId,
      runTool: (kind, partParams, key) =>
        runPart(
          settings.catalogue.find(kind),
          kind,
          partParams,
          {
            ...context,
            idempotencyKey: `${context.idempotencyKey}:${key}`,
            next: [],
            resume: null,
            payload: null,
          },
          (usage) => this.host.use(node.id, usage),
        ),
      sideEffectsOf: (kind, partParams) => sideEffectsOf(settings.catalogue.find(kind), partParams) ?? 'none',
      toToolError: (error) => this.toToolError(error, node),
    });
    return { ...context, nested };
  }

  private toOutcome(result: ToolResult): NodeOutcome {
    if ('wait' in result) return { kind: 'waiting', waiting: result.wait };
    const size = jsonSize(result.output, MAX_OUTPUT_BYTES);
    if (size === null) return failure('invalid_output', 'The output cannot be written as JSON.', false);
    if (size > MAX_OUTPUT_BYTES)
      return failure('output_too_large', `The output is larger than ${MAX_OUTPUT_BYTES} bytes.`, false);
    this.outputBytes += size;
    if (this.outputBytes > MAX_RUN_OUTPUT_BYTES) {
      const message = `The outputs of this run are larger than ${MAX_RUN_OUTPUT_BYTES} bytes together.`;
      return failure('output_too_large', message, false);
    }
    return { kind: 'completed', ...result };
  }

  private toFailure(error: unknown, { node }: NodeTask): NodeOutcome {
    const { code, message, retryable } = this.toToolError(error, node);
    return failure(code, message, retryable);
  }

  private toToolError(error: unknown, node: NodeTask['node']): ToolError {
    if (error instanceof ToolError) return error;
    if (error instanceof DomainError)
      return new ToolError(error.code, error.message, isTransient(error), { cause: error });
    this.settings.logger.error('A tool failed unexpectedly', {
      runId: this.run.runId,
      nodeId: node.id,
      kind: node.kind,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return new ToolError('tool_error', 'The node failed unexpectedly.');
  }
}

function isPromise<T extends object>(value: T | Promise<T>): value is Promise<T> {
  return 'then' in value;
}

function failure(code: string, message: string, retryable: boolean): NodeOutcome {
  return { kind: 'failed', code, message: message.slice(0, MAX_MESSAGE_LENGTH), retryable };
}

function isTransient(error: DomainError): boolean {
  return [UnavailableError, BadGatewayError, GatewayTimeoutError, RateLimitedError].some(
    (type) => error instanceof type,
  );
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new ToolError('aborted', 'The node was stopped.', false));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

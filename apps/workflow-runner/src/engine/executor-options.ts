import type { Clock } from '@app/common';
import type { Question, ToolCatalogue, ToolPorts } from '@app/workflow-definition';
import type { ApartWork } from './apart-nodes.js';
import { LoopTurns } from './loop-turns.js';
import { MemoryBudget } from './memory-budget.js';
import type { OpenedSecrets, RunStore } from '@app/workflows';
import type { ActorChecks } from './acting-node.js';

export interface ExecutorLogger {
  log(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export interface ProgressEvent {
  workflowId: string;
  runId: string;
  /** The nodes whose bodies lead to the node's definition. */
  bodyPath: readonly string[];
  nodeId: string;
  /** A fraction from 0 to 1, or a line of text. */
  update: number | string;
}

/** The answer that a node is writing, as far as it has come. */
export interface TextEvent {
  workflowId: string;
  runId: string;
  version: number;
  nodeId: string;
  attempt: number;
  written: string;
}

/** A node has begun to wait for a person's answer. Told at least once, perhaps again. */
export interface QuestionEvent {
  workflowId: string;
  runId: string;
  version: number;
  bodyPath: readonly string[];
  nodeId: string;
  questionId: string;
  question: Question;
  /** Milliseconds since the epoch. */
  expiresAt: number | null;
}

/** Where the values of `{{_secret.name}}` come from. */
export interface SecretSource {
  /** @throws ToolError `unknown_secret` when a name has no value. */
  open(workflowId: string, names: readonly string[], actorId: number): Promise<OpenedSecrets>;
}

export interface ExecutorOptions {
  store: RunStore;
  catalogue: ToolCatalogue;
  ports: ToolPorts;
  /** Absent: no workflow has secrets. */
  secrets?: SecretSource;
  /** Absent: nobody loses access. */
  rights?: ActorChecks;
  /** Absent: everything is done in this process, whatever it takes. */
  apart?: ApartWork;
  logger: ExecutorLogger;
  clock: Clock;
  /** Unique per process and start. */
  workerId: string;
  /** Nodes of one run that work at the same time. Default 16. */
  concurrentNodes?: number;
  /**
   * While it holds fewer runs than this, the executor takes up child runs and the parents that wait for them by itself,
   * without waiting for their job; the others are for whoever takes it first. Default 0.
   */
  ownRuns?: number;
  /** Changes are saved at most this often. Default 50. */
  flushMs?: number;
  /** How soon a stop is noticed at the latest. Default 900. */
  heartbeatMs?: number;
  /** Waits up to this long stay in the process; longer ones give the run back. Default 1000. */
  shortWaitMs?: number;
  /** Pauses between tries of a write that failed, in milliseconds. */
  writeRetryMs?: readonly number[];
  /** What a tool reports while it works; called synchronously, must not throw. */
  onProgress?(event: ProgressEvent): void;
  /** Called synchronously once the question is written, must not throw. */
  onQuestion?(event: QuestionEvent): void;
  /** Called synchronously, as often as a tool likes, must not throw. */
  onText?(event: TextEvent): void;
}

type Optional = 'apart' | 'onProgress' | 'onQuestion' | 'onText' | 'rights' | 'secrets';
/** What a run tells the executor that carries it. */
interface Internal {
  onChildStarted?(runId: string): void;
  turns: LoopTurns;
  /** For nodes that hold much. */
  memory: MemoryBudget;
  /** For parts of nodes that hold much: apart, because a node that has room may wait for its parts. */
  partsMemory: MemoryBudget;
}

export type ExecutorSettings = Internal & Required<Omit<ExecutorOptions, Optional>> & Pick<ExecutorOptions, Optional>;

export function withDefaults(options: ExecutorOptions): ExecutorSettings {
  return {
    turns: new LoopTurns(),
    memory: new MemoryBudget(),
    partsMemory: new MemoryBudget(),
    concurrentNodes: 16,
    ownRuns: 0,
    flushMs: 50,
    heartbeatMs: 900,
    shortWaitMs: 1_000,
    // A database that restarts is back within these.
    writeRetryMs: [50, 250, 1_000, 3_000, 6_000, 10_000],
    ...options,
  };
}

import type { PersonsWords, ToolApproval } from './approval.js';
import type { NodeReach } from './reach.js';
import type { DefinitionProblem } from '../graph/graph.js';
import type { NodeUsage, NodeWait, WaitReason } from '../states/node-state.js';
import type { PortPresence, ToolPorts, Viewer } from './ports.js';
import type { CatalogueEntry } from './catalogue-entry.js';
import type { OutletDeclaration } from './outlet.js';
import type { NestedWork } from './nested-work.js';
import type { ToolCatalogue } from './tool-catalogue.js';

/** `none`: may run again at will. `idempotent`: may run again with the same key. `external`: never again by itself. */
export type SideEffects = 'none' | 'idempotent' | 'external';

export interface ToolLogger {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

/** Why a node runs again after a wait; null on a fresh start. */
export interface ToolResume {
  reason: Exclude<WaitReason, 'wait_for' | 'retry'>;
  /** What the tool left in `wait.data`. */
  data: Record<string, unknown> | null;
  /** The person's answer; null when the wait ran out (`until`) or was a timer. */
  answer: unknown;
}

export interface ToolContext extends ToolPorts {
  /** Aborts on stop, on timeout and when the run has gone to another worker. */
  signal: AbortSignal;
  runId: string;
  nodeId: string;
  attempt: number;
  /** Run and node, never the attempt: what an outside service needs to recognise a repetition. */
  idempotencyKey: string;
  viewer: Viewer;
  /** The node's `next`, from which a branching tool chooses. */
  next: readonly string[];
  resume: ToolResume | null;
  /** What the trigger brought along; null for a node that does not start the run. */
  payload: Record<string, unknown> | null;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects when `signal` aborts. For more than a second, return a `wait` instead: it survives the worker. */
  sleep(milliseconds: number): Promise<void>;
  /** A fraction from 0 to 1, or a line of text for whoever watches the run. */
  progress(update: number | string): void;
  /** The answer as far as it is written, for whoever reads the run as a stream. Always the whole, never a piece. */
  text?(written: string): void;
  /**
   * Called before so many bytes are held in memory: may wait until there is room for them. Held until the node ends.
   * Absent where nobody counts.
   */
  room?(bytes: number): Promise<void>;
  log: ToolLogger;
  /** Absent where a tool runs as a part of another one. */
  nested?: NestedWork;
}

export type ToolResult =
  | { output: unknown; warnings?: string[]; usage?: NodeUsage }
  | { output: unknown; chosen: string[]; warnings?: string[]; usage?: NodeUsage }
  /** The node leaves the worker and runs again, with `ctx.resume`, when `until` comes or an answer does. */
  | { wait: NodeWait & { reason: Exclude<WaitReason, 'wait_for' | 'retry'> } };

/** A problem of a node's params; `path` is relative to the node. */
export interface NodeProblem extends Omit<DefinitionProblem, 'nodeId'> {
  /** The definition can be saved all the same. */
  isWarning?: boolean;
}

/** A node kind as the engine and the catalogue see it. Made by `defineKind`. */
export interface Tool {
  readonly kind: string;
  readonly version: string;
  /** As people call it. */
  readonly title: string;
  /** What of a plan it belongs to, beside workflows. */
  readonly feature?: string;
  /** Still runs, but new workflows should use something else. */
  readonly deprecated: boolean;
  readonly isEntry: boolean;
  readonly isBranching: boolean;
  /** Its ways out beside `next` and `error_next`. */
  readonly outlets: readonly OutletDeclaration[];
  /** Whether it works through a list, item by item. */
  readonly isBatchProcessor: boolean;
  /** Whether it can be a part of another node. */
  readonly isNestable: boolean;
  readonly itemParams?: ReadonlySet<string>;
  readonly opaqueParams?: ReadonlySet<string>;
  /** The worst that a node of this kind can do. */
  readonly sideEffects: SideEffects;
  /** What a node with these params, as the definition has them, can do. Absent: `sideEffects` whatever they are. */
  sideEffectsOf?(params: Record<string, unknown>): SideEffects;
  /** What a node with these params, as the definition has them, gets at beyond its inputs. Absent: nothing. */
  reachOf?(params: Record<string, unknown>): NodeReach;
  /** What a person has to agree to before an agent of theirs uses it with these arguments; null: nothing. */
  approvalFor(input: Record<string, unknown>, words: PersonsWords): ToolApproval | null;
  /** Its params reach rows that people see, so that no secret can stand in them. */
  readonly keepsParams: boolean;
  readonly timeoutSeconds: number;
  readonly category: { key: string; label: string };
  /** Names that the tool knows; anything else in `params` is ignored, with a warning at save. */
  readonly paramNames: ReadonlySet<string>;
  /** The fields of its output, where there are no others; null where anything may come. */
  outputNames(): readonly string[] | null;
  /** Problems of params that still hold references; `path` is relative to the node. */
  checkParams(params: Record<string, unknown>, next: readonly string[], catalogue?: ToolCatalogue): NodeProblem[];
  /** The JSON Schema of its params as they stand in a definition, references and all. */
  paramsInDefinitions(): Record<string, unknown>;
  readonly description: string;
  /** Null when it can be used, else why not. */
  unavailableReason(ports: PortPresence): string | null;
  /** Validates resolved params, then runs. Throws `ToolError` (`invalid_params`) and whatever the tool throws. */
  run(params: Record<string, unknown>, context: ToolContext): Promise<ToolResult> | ToolResult;
  toCatalogueEntry(ports: PortPresence): CatalogueEntry;
}

/** What a node of the kind can do; undefined for a kind that does not exist. */
export function sideEffectsOf(
  tool: Pick<Tool, 'sideEffects' | 'sideEffectsOf'> | undefined,
  params: Record<string, unknown>,
): SideEffects | undefined {
  return tool?.sideEffectsOf?.(params) ?? tool?.sideEffects;
}

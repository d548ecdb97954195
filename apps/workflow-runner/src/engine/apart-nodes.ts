import { readFile, rm } from 'node:fs/promises';
import {
  type ApartAnswer,
  type ApartScope,
  type ApartTask,
  bodyItemOf,
  type HeldJson,
  JsonText,
  lookUp,
  type LookUpAnswer,
  type LookUpTask,
  measureJson,
  StoredOutput,
  ToolError,
} from '@app/workflow-definition';
import type { ClaimedRun, HeldInput, NodeTask, RunStore } from '@app/workflows';
import type { AskedTask } from '../sandbox/job-process.js';
import type { JobFiles } from '../sandbox/job-folder.js';
import type { SandboxPool } from '../sandbox/sandbox-pool.js';

/** Where nodes are done that should not be done in this process. */
export interface ApartWork {
  sandbox: Pick<SandboxPool, 'run'>;
  /** Bytes of params up to which a kind is done here all the same; undefined for kinds that reach something outside. */
  inlineBytes(kind: string): number | undefined;
}

const MB = 1024 * 1024;
/** For reading what the node refers to, and for work without a limit of its own. */
const LIMIT_MS = 30_000;
/** What params may take of this process's heap. */
const MAX_WEIGHT = 32 * MB;

export interface ResolvedLimits {
  now: number;
  next: readonly string[];
  signal: AbortSignal;
  /** Bytes of JSON. */
  maxParams: number;
  maxOutput: number;
}

/** Does nodes, or looks up what they refer to, elsewhere: what they read and make never becomes objects here. */
export class ApartNodes {
  constructor(
    private readonly run: ClaimedRun,
    private readonly work: ApartWork | undefined,
    private readonly store: Pick<RunStore, 'localOutput' | 'readOutput'>,
  ) {}

  /** Whether the whole node can be done elsewhere. */
  takes({ node, held }: NodeTask): boolean {
    return held !== null && node.secretNames.length === 0 && this.work?.inlineBytes(node.kind) !== undefined;
  }

  /**
   * The whole node.
   * @param done takes the result over before its file is removed. @throws ToolError
   */
  async do<T>(
    { node, held }: NodeTask,
    { now, signal }: { now: number; signal: AbortSignal },
    done: (answer: ApartAnswer, resultPath: string) => T | Promise<T>,
  ): Promise<T> {
    const { kind, params, next } = node;
    const { nodeIds, isTriggered } = held!;
    const known = { kind, params, isResolved: false, nodeIds: [...nodeIds], next, isTriggered, now };
    const { value, file } = await this.withScope(held!, (scopeIn) =>
      this.ask<ApartAnswer>((files) => {
        const task: ApartTask = { ...scopeIn(files), ...known, resultPath: files.resultPath };
        return { job: 'node', input: task };
      }, signal),
    );
    try {
      return await done(value, file ?? '');
    } finally {
      if (file !== undefined) await rm(file, { force: true });
    }
  }

  /**
   * A kind with params that are filled in already; undefined where it is better done here.
   * @throws ToolError `params_too_large`, and what the tool throws
   */
  doResolved(
    kind: string,
    params: Record<string, unknown>,
    limits: ResolvedLimits,
  ): Promise<{ output: JsonText; chosen?: string[]; warnings: string[] }> | undefined {
    const inlineBytes = this.work?.inlineBytes(kind);
    const size = this.work && measureJson(params, limits.maxParams);
    if (!size) return undefined;
    if (size.bytes > limits.maxParams || size.weight > MAX_WEIGHT) {
      throw new ToolError('params_too_large', `The parameters are larger than ${limits.maxParams} bytes.`, false);
    }
    return inlineBytes === undefined || size.bytes <= inlineBytes ? undefined : this.askResolved(kind, params, limits);
  }

  private async askResolved(
    kind: string,
    params: Record<string, unknown>,
    { now, next, signal, maxOutput }: ResolvedLimits,
  ): Promise<{ output: JsonText; chosen?: string[]; warnings: string[] }> {
    const nothing = { outputs: {}, payload: null, nodeIds: [], isTriggered: false };
    const known = { ...nothing, kind, params, next, isResolved: true, now };
    const { value: answer, file } = await this.ask<ApartAnswer>(({ resultPath }) => {
      const task: ApartTask = { ...known, resultPath };
      return { job: 'node', input: task };
    }, signal);
    try {
      if ('failed' in answer) {
        const { code, message, retryable } = answer.failed;
        throw new ToolError(code, message, retryable);
      }
      const { size, output, chosen, warnings } = answer;
      if (size.bytes > maxOutput)
        throw new ToolError('output_too_large', `The output is larger than ${maxOutput} bytes.`, false);
      const text = 'text' in output ? output.text : await readFile(file ?? '', 'utf8');
      return { output: new JsonText(text), ...(chosen && { chosen }), warnings };
    } finally {
      if (file !== undefined) await rm(file, { force: true });
    }
  }

  /** What the references of a node come to, by their texts. @throws ToolError `params_too_large` */
  async lookUp(held: HeldInput, signal: AbortSignal): Promise<ReadonlyMap<string, unknown>> {
    if (held.references.length === 0) return new Map();
    if (!this.work) return this.lookUpHere(held);
    const references = held.references.map(({ text, root, nodeId, path }) => ({ text, root, nodeId, path: [...path] }));
    const { value: answer } = await this.withScope(held, (scopeIn) =>
      this.ask<LookUpAnswer>((files) => {
        const task: LookUpTask = { ...scopeIn(files), references, maxWeight: MAX_WEIGHT };
        return { job: 'look_up', input: task };
      }, signal),
    );
    if ('failed' in answer) {
      const message = `What the parameters refer to takes more than ${MAX_WEIGHT / MB} MB of memory.`;
      throw new ToolError('params_too_large', message, false);
    }
    const values = JSON.parse(answer.text) as Record<string, unknown>;
    return new Map(held.references.map(({ text }) => [text, Object.hasOwn(values, text) ? values[text] : undefined]));
  }

  private async ask<T>(task: AskedTask, signal: AbortSignal): Promise<{ value: T; file?: string }> {
    const viewer = { userId: this.run.ownerId, runId: this.run.runId };
    const answer = await this.work!.sandbox.run(viewer, task, { signal, limitMs: LIMIT_MS });
    if (!answer.ok) throw new ToolError(answer.code, answer.message, false);
    const { value, file } = answer;
    return { value: value as T, ...(file !== undefined && { file }) };
  }

  private async withScope<T>(
    { outputs, payload }: HeldInput,
    work: (scopeIn: (files: JobFiles) => ApartScope) => Promise<T>,
  ): Promise<T> {
    const opened = new Map<StoredOutput, LocalOutput>();
    const open = async (value: unknown): Promise<void> => {
      if (value instanceof StoredOutput && !opened.has(value)) opened.set(value, await this.store.localOutput(value));
    };
    try {
      for (const value of [payload, ...[...outputs].map(([, output]) => output)]) await open(value);
      return await work((files) => scopeOf({ outputs, payload }, opened, files));
    } finally {
      for (const local of opened.values()) await local.release();
    }
  }

  /** Where there is nobody else to do it. */
  private async lookUpHere({ references, outputs, payload }: HeldInput): Promise<ReadonlyMap<string, unknown>> {
    const read = async (value: unknown): Promise<unknown> => {
      if (value instanceof StoredOutput) return (await this.store.readOutput(value)).parse();
      return value instanceof JsonText ? value.parse() : value;
    };
    const values = new Map<string, unknown>();
    for (const [nodeId, output] of outputs) values.set(nodeId, await read(output));
    const given = (await read(payload)) as Record<string, unknown> | null;
    const item = bodyItemOf(given);
    const scope = {
      output: (id: string) => values.get(id),
      payload: given,
      warn: () => undefined,
      ...(item && { item }),
    };
    return new Map(references.map((reference) => [reference.text, lookUp(reference, scope)]));
  }
}

type LocalOutput = Awaited<ReturnType<RunStore['localOutput']>>;

/** What a process is told of what a node refers to. */
function scopeOf(
  { outputs, payload }: Pick<HeldInput, 'outputs' | 'payload'>,
  opened: ReadonlyMap<StoredOutput, LocalOutput>,
  files: JobFiles,
): ApartScope {
  const held = (value: unknown): HeldJson => {
    if (value instanceof JsonText) return { text: value.text };
    return value instanceof StoredOutput ? { path: files.lend(opened.get(value)!.path) } : { value };
  };
  const scope: ApartScope = { outputs: {}, payload: payload === null ? null : held(payload) };
  for (const [nodeId, output] of outputs) {
    // A node may be called __proto__.
    Object.defineProperty(scope.outputs, nodeId, { value: held(output), enumerable: true });
  }
  return scope;
}

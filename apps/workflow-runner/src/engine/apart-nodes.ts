import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ApartAnswer,
  type ApartScope,
  type ApartTask,
  bodyItemOf,
  type ClaimedRun,
  type HeldInput,
  type HeldJson,
  JsonText,
  lookUp,
  type LookUpAnswer,
  type LookUpTask,
  measureJson,
  type NodeTask,
  type RunStore,
  type SandboxPort,
  StoredOutput,
  ToolError,
} from '@app/workflows';

/** Where nodes are done that should not be done in this process. */
export interface ApartWork {
  sandbox: SandboxPort;
  /** A folder of this machine for large results. */
  folder: string;
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
    const { sandbox, folder } = this.work!;
    const resultPath = join(folder, `${randomUUID()}.json`);
    try {
      const answer = await this.withScope(held!, (scope) => {
        const { kind, params, next } = node;
        const { nodeIds, isTriggered } = held!;
        const isResolved = false;
        const task: ApartTask = {
          ...scope,
          kind,
          params,
          isResolved,
          nodeIds: [...nodeIds],
          next,
          isTriggered,
          now,
          resultPath,
        };
        return this.ask<ApartAnswer>(sandbox, { job: 'node', input: task }, signal);
      });
      return await done(answer, resultPath);
    } finally {
      await rm(resultPath, { force: true });
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
    const { sandbox, folder } = this.work!;
    const resultPath = join(folder, `${randomUUID()}.json`);
    const nothing = { outputs: {}, payload: null, nodeIds: [], isTriggered: false };
    const task: ApartTask = { ...nothing, kind, params, next, isResolved: true, now, resultPath };
    try {
      const answer = await this.ask<ApartAnswer>(sandbox, { job: 'node', input: task }, signal);
      if ('failed' in answer) {
        const { code, message, retryable } = answer.failed;
        throw new ToolError(code, message, retryable);
      }
      const { size, output, chosen, warnings } = answer;
      if (size.bytes > maxOutput)
        throw new ToolError('output_too_large', `The output is larger than ${maxOutput} bytes.`, false);
      const text = 'text' in output ? output.text : await readFile(resultPath, 'utf8');
      return { output: new JsonText(text), ...(chosen && { chosen }), warnings };
    } finally {
      await rm(resultPath, { force: true });
    }
  }

  /** What the references of a node come to, by their texts. @throws ToolError `params_too_large` */
  async lookUp(held: HeldInput, signal: AbortSignal): Promise<ReadonlyMap<string, unknown>> {
    if (held.references.length === 0) return new Map();
    if (!this.work) return this.lookUpHere(held);
    const { sandbox } = this.work;
    const answer = await this.withScope(held, (scope) => {
      const references = held.references.map(({ text, root, nodeId, path }) => ({
        text,
        root,
        nodeId,
        path: [...path],
      }));
      const task: LookUpTask = { ...scope, references, maxWeight: MAX_WEIGHT };
      return this.ask<LookUpAnswer>(sandbox, { job: 'look_up', input: task }, signal);
    });
    if ('failed' in answer) {
      const message = `What the parameters refer to takes more than ${MAX_WEIGHT / MB} MB of memory.`;
      throw new ToolError('params_too_large', message, false);
    }
    const values = JSON.parse(answer.text) as Record<string, unknown>;
    return new Map(held.references.map(({ text }) => [text, Object.hasOwn(values, text) ? values[text] : undefined]));
  }

  private async ask<T>(sandbox: SandboxPort, task: { job: string; input: unknown }, signal: AbortSignal): Promise<T> {
    const viewer = { userId: this.run.ownerId, runId: this.run.runId };
    const answer = await sandbox.run(viewer, task, { signal, limitMs: LIMIT_MS });
    if (!answer.ok) throw new ToolError(answer.code, answer.message, false);
    return answer.value as T;
  }

  private async withScope<T>({ outputs, payload }: HeldInput, work: (scope: ApartScope) => Promise<T>): Promise<T> {
    const opened: { release(): Promise<void> }[] = [];
    const held = async (value: unknown): Promise<HeldJson> => {
      if (value instanceof JsonText) return { text: value.text };
      if (!(value instanceof StoredOutput)) return { value };
      const local = await this.store.localOutput(value);
      opened.push(local);
      return { path: local.path };
    };
    try {
      const scope: ApartScope = { outputs: {}, payload: payload === null ? null : await held(payload) };
      for (const [nodeId, output] of outputs) {
        // A node may be called __proto__.
        Object.defineProperty(scope.outputs, nodeId, { value: await held(output), enumerable: true });
      }
      return await work(scope);
    } finally {
      for (const local of opened) await local.release();
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

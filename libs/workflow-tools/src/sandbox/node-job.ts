import { cutText } from '@app/common';
import { writeFile } from 'node:fs/promises';
import {
  type ApartAnswer,
  type ApartTask,
  compileParams,
  measureJson,
  type SandboxPort,
  ToolError,
  type ToolContext,
  toOutputHint,
  writeJson,
} from '@app/workflow-definition/kit';
import { readScope } from '../jobs/held-values.js';
import { pureKinds } from './pure-kinds.js';
import { SandboxError } from '../jobs/sandbox-error.js';
import { readyJob, type SandboxAnswer, type SandboxTask } from '../jobs/jobs.js';

export const MAX_OUTPUT_BYTES = 20 * 1024 * 1024;
/** Longer JSON goes by a file. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const PREVIEW_LENGTH = 500;
const MAX_WARNINGS = 50;

/** How a job of a kind is done, and who is told how long it may take. */
export interface NodeJobHost {
  run: (task: SandboxTask, begin?: (limitMs: number) => void) => Promise<SandboxAnswer>;
  begin?: ((limitMs: number) => void) | undefined;
}

/** A whole node of a kind that reaches nothing outside: references filled in, worked on, and the output written. */
export async function runNode(task: ApartTask, host: NodeJobHost): Promise<ApartAnswer> {
  const warnings: string[] = [];
  const warn = (message: string): void => void (warnings.length < MAX_WARNINGS && warnings.push(message));
  try {
    const loader = Object.hasOwn(pureKinds, task.kind) ? pureKinds[task.kind as keyof typeof pureKinds] : null;
    if (!loader) throw new ToolError('unknown_kind', `There is no node kind "${task.kind}".`, false);
    const tool = await loader.load();
    const scope = await readScope(task, warn);
    const ids = new Set(task.nodeIds);
    const params = task.isResolved
      ? task.params
      : compileParams(task.params, (id) => ids.has(id), tool.opaqueParams).resolve(scope);
    const result = await tool.run(params, contextOf(task, scope.payload, host));
    if ('wait' in result) throw new ToolError('wait_not_possible', `"${task.kind}" cannot wait here.`, false);
    const size = measureJson(result.output ?? null, MAX_OUTPUT_BYTES);
    if (!size) throw new ToolError('invalid_output', 'The output cannot be written as JSON.', false);
    if (size.bytes > MAX_OUTPUT_BYTES)
      throw new ToolError('output_too_large', `The output is larger than ${MAX_OUTPUT_BYTES} bytes.`, false);
    const text = writeJson(result.output ?? null);
    const bytes = Buffer.byteLength(text);
    const isShort = bytes <= MAX_MESSAGE_BYTES;
    if (!isShort) await writeFile(task.resultPath, text);
    return {
      size: { bytes, weight: size.weight },
      output: isShort ? { text } : { preview: cutText(text, PREVIEW_LENGTH) },
      hint: toOutputHint(result.output),
      ...('chosen' in result && { chosen: result.chosen }),
      warnings: [...warnings, ...(result.warnings ?? [])],
    };
  } catch (error) {
    return { failed: toFailure(error), warnings };
  }
}

function contextOf(task: ApartTask, payload: Record<string, unknown> | null, { run, begin }: NodeJobHost): ToolContext {
  const sandbox: SandboxPort = {
    run: async (_viewer, job, { limitMs }) => {
      await readyJob(job);
      begin?.(limitMs);
      return run(job);
    },
  };
  return {
    sandbox,
    signal: new AbortController().signal,
    runId: '',
    nodeId: '',
    attempt: 1,
    idempotencyKey: '',
    viewer: { userId: 0 },
    next: task.next,
    resume: null,
    payload: task.isTriggered ? payload : null,
    now: () => task.now,
    sleep: () => Promise.reject(new ToolError('wait_not_possible', 'This kind cannot wait here.', false)),
    progress: none,
    log: { info: none, warn: none },
  };
}

function none(): void {
  // Nobody hears.
}

function toFailure(error: unknown): { code: string; message: string; retryable: boolean } {
  if (error instanceof ToolError) return { code: error.code, message: error.message, retryable: error.retryable };
  if (error instanceof SandboxError) return { code: error.code, message: error.message, retryable: false };
  if (error instanceof RangeError)
    return { code: 'input_too_complex', message: 'The input is too complex.', retryable: false };
  throw error;
}

import { type SandboxPort, type Tool, type ToolContext, ToolError, type ToolResult } from '@app/workflows';
import { toolCatalogue } from '../index.js';
import { runSandboxJob } from '../sandbox/jobs.js';
import { expectPromisedOutput } from './expect-output.spec-support.js';

/** The jobs of the sandbox in this very thread: what they do, without what limits them. */
export const sandboxHere: SandboxPort = { run: (_viewer, task) => runSandboxJob(task) };

export function contextOf(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    runId: 'run',
    nodeId: 'node',
    attempt: 1,
    idempotencyKey: 'run:node',
    viewer: { userId: 1 },
    next: [],
    resume: null,
    payload: null,
    sandbox: sandboxHere,
    now: () => Date.parse('2026-01-31T12:00:00Z'),
    sleep: () => Promise.resolve(),
    progress: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
    ...overrides,
  } as ToolContext;
}

export const toolOf = (kind: string): Tool => toolCatalogue.find(kind)!;

export async function run(
  kind: string,
  params: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  return await toolOf(kind).run(params, contextOf(context));
}

/** The output, after it was held against the kind's own `output_schema`. */
export async function outputOf(
  kind: string,
  params: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<unknown> {
  const result = await run(kind, params, context);
  if (!('output' in result)) throw new Error('The tool waits.');
  expectPromisedOutput(toolOf(kind), result);
  return result.output;
}

export async function errorOf(
  kind: string,
  params: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<ToolError> {
  const error = await run(kind, params, context).catch((thrown: unknown) => thrown);
  if (!(error instanceof ToolError)) throw new Error(`Expected a ToolError, got ${String(error)}`);
  return error;
}

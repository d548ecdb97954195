import type { SandboxPort, Tool, ToolContext, ToolError, ToolResult } from '@app/workflow-definition';
import { toolCatalogue } from '../index.js';
import { runSandboxJob } from '../sandbox/run-job.js';
import * as single from '../tool-context.spec-support.js';

/** The jobs of the sandbox in this very thread: what they do, without what limits them. */
export const sandboxHere: SandboxPort = { run: (_viewer, task) => runSandboxJob(task) };

const withSandbox = (overrides: Partial<ToolContext>): Partial<ToolContext> => ({
  sandbox: sandboxHere,
  now: () => Date.parse('2026-01-31T12:00:00Z'),
  ...overrides,
});

export const contextOf = (overrides: Partial<ToolContext> = {}): ToolContext =>
  single.toolContext(withSandbox(overrides));

export const toolOf = (kind: string): Tool => toolCatalogue.find(kind)!;

type Params = Record<string, unknown>;

/** Every output is held against the kind's own `output_schema`. */
export const run = (kind: string, params: Params, context: Partial<ToolContext> = {}): Promise<ToolResult> =>
  single.runTool(toolOf(kind), params, withSandbox(context));

export const outputOf = (kind: string, params: Params, context: Partial<ToolContext> = {}): Promise<unknown> =>
  single.outputOf<unknown>(toolOf(kind), params, withSandbox(context));

export const errorOf = (kind: string, params: Params, context: Partial<ToolContext> = {}): Promise<ToolError> =>
  single.errorOf(toolOf(kind), params, withSandbox(context));

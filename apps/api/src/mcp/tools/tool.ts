import type { ApiScope, Principal } from '@app/auth';
import type { Part } from '@app/entitlements';
import type { CallToolResult, Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Who calls a tool, and how the caller is kept in the picture. */
export interface ToolCall {
  viewer: Principal;
  /** Aborts when the client has gone or has taken the call back. */
  signal: AbortSignal;
  /** Told to clients that asked for it; `total` is null while nobody knows. */
  progress(done: number, total: number | null, message: string): void;
}

/** A tool as the endpoint needs it. Made by `defineMcpTool`. */
export interface McpTool {
  readonly name: string;
  /** What a token needs to see and to call it. */
  readonly scope: ApiScope;
  /** What it belongs to: a feature that plans sell, or `core`. */
  readonly part: Part;
  /** Whether it stays open without the plan. */
  readonly isOpen: boolean;
  readonly listing: Tool;
  /** @throws ToolInputError, and what the work throws */
  call(given: unknown, call: ToolCall): Promise<CallToolResult>;
}

export interface ToolOptions<I extends z.ZodObject, O extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  scope: ApiScope;
  part: Part;
  /** Whether it stays open without the plan: what only reads does, unless told. */
  open?: boolean;
  annotations: ToolAnnotations;
  input: I;
  output: O;
  run(input: z.output<I>, call: ToolCall): Promise<z.input<O>>;
  /** What a model reads; the output as JSON unless told. */
  text?(output: z.output<O>): string;
}

/** Arguments that do not fit; the text says where, so that a model can mend them. */
export class ToolInputError extends Error {
  override readonly name = 'ToolInputError';
}

const MAX_PROBLEMS = 10;

export const READS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

export function defineMcpTool<I extends z.ZodObject, O extends z.ZodObject>(options: ToolOptions<I, O>): McpTool {
  const { name, title, description, scope, part, annotations, input, output, run, text = toText } = options;
  const strict = input.strict();
  return {
    name,
    scope,
    part,
    isOpen: options.open ?? annotations.readOnlyHint === true,
    listing: {
      name,
      title,
      description,
      annotations: { title, ...annotations },
      inputSchema: z.toJSONSchema(strict, { io: 'input' }) as Tool['inputSchema'],
      outputSchema: z.toJSONSchema(output) as NonNullable<Tool['outputSchema']>,
    },
    async call(given, call) {
      const read = strict.safeParse(given ?? {});
      if (!read.success) throw new ToolInputError(problemsOf(read.error));
      const result = output.parse(await run(read.data as z.output<I>, call));
      return { content: [{ type: 'text', text: text(result) }], structuredContent: result };
    },
  };
}

/** In words, the first of them. */
export function problemsOf({ issues }: z.ZodError): string {
  const shown = issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return `The arguments do not fit. ${shown.join(' ')}`;
}

function toText(value: object): string {
  return JSON.stringify(value);
}

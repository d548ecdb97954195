import { createHash } from 'node:crypto';
import { toJsonText } from '@app/common';
import { z } from 'zod';
import { offeredName } from './offered-name.js';

/** A tool as its server told it, fit to be stored and shown to a model. */
export interface ToolDefinition {
  name: string;
  offeredName: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown> | null;
  annotations: ToolAnnotations;
  /** SHA-256, hexadecimal, of name, title, description, schemas and annotations. */
  hash: string;
}

/** What the server claims its tool to be. Nobody checked it: never a reason to skip a question. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface ReadTools {
  tools: ToolDefinition[];
  /** What is missing, in words; empty when nothing is. */
  note: string;
}

export const MAX_TOOLS = 500;
const MAX_NAME = 200;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 8000;
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_ALL_BYTES = 5 * 1024 * 1024;
const MAX_DEPTH = 40;
/** Of those that are left out; the others are counted. */
const MAX_NAMED = 5;
const MAX_SHOWN_NAME = 60;

const hint = z.boolean().optional().catch(undefined);
const listed = z.object({
  name: z.string().min(1).max(MAX_NAME),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
    })
    .optional()
    .catch(undefined),
});

/** Tasks are an experiment of MCP 2025-11-25 that few servers know: a call of such a tool would only fail. */
const onlyAsTask = z.object({ execution: z.object({ taskSupport: z.literal('required') }) });

/**
 * The tools among what a server listed. What is malformed or too large is left out and told in the note; a server
 * that lists nonsense does not lose its other tools.
 */
export function readTools(slug: string, items: readonly unknown[], isCut: boolean): ReadTools {
  const tools = new Map<string, ToolDefinition>();
  const offered = new Set<string>();
  const unfit: string[] = [];
  let tasks = 0;
  let bytes = 0;
  for (const item of items) {
    if (onlyAsTask.safeParse(item).success) {
      tasks += 1;
      continue;
    }
    const read = readTool(slug, item);
    if (
      !read ||
      tools.has(read.tool.name) ||
      offered.has(read.tool.offeredName) ||
      bytes + read.bytes > MAX_ALL_BYTES
    ) {
      unfit.push(nameOf(item));
      continue;
    }
    bytes += read.bytes;
    tools.set(read.tool.name, read.tool);
    offered.add(read.tool.offeredName);
  }
  const notes = [
    ...(isCut ? [`The server lists more tools; the first ${items.length} are used.`] : []),
    ...(unfit.length > 0
      ? [
          `${unfit.length} of the listed tools are malformed, too large, nested too deep or listed twice, and left out${namesIn(unfit)}.`,
        ]
      : []),
    ...(tasks > 0 ? [`${tasks} of the listed tools can only be called as tasks, and are left out.`] : []),
  ];
  return { tools: [...tools.values()], note: notes.join(' ') };
}

function nameOf(item: unknown): string {
  const { name } = (item ?? {}) as { name?: unknown };
  return typeof name === 'string' ? shown(name.slice(0, MAX_SHOWN_NAME)) : '';
}

function namesIn(unfit: readonly string[]): string {
  const names = [...new Set(unfit)].filter((name) => name !== '').map((name) => JSON.stringify(name));
  const more = names.length > MAX_NAMED ? ', …' : '';
  return names.length === 0 ? '' : `: ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function readTool(slug: string, item: unknown): { tool: ToolDefinition; bytes: number } | null {
  const parsed = listed.safeParse(item);
  if (!parsed.success || depthOf(parsed.data) > MAX_DEPTH) return null;
  const { name: given, title, description, inputSchema, outputSchema, annotations = {} } = parsed.data;
  const name = storable(given);
  if (name === '') return null;
  const { title: otherTitle, ...hints } = annotations;
  const definition = {
    name,
    title: shown(title ?? otherTitle ?? '').slice(0, MAX_TITLE),
    description: shown(description ?? '').slice(0, MAX_DESCRIPTION),
    inputSchema: shownSchema(inputSchema) as Record<string, unknown>,
    outputSchema: outputSchema === undefined ? null : (shownSchema(outputSchema) as Record<string, unknown>),
    annotations: Object.fromEntries(
      Object.entries(hints).filter(([, value]) => value !== undefined),
    ) as ToolAnnotations,
  };
  const text = JSON.stringify(inSortedOrder(definition));
  const sizes = [definition.inputSchema, definition.outputSchema].map((schema) =>
    Buffer.byteLength(JSON.stringify(schema)),
  );
  if (sizes.some((size) => size > MAX_SCHEMA_BYTES)) return null;
  const hash = createHash('sha256').update(text).digest('hex');
  return { tool: { ...definition, offeredName: offeredName(slug, name), hash }, bytes: Buffer.byteLength(text) };
}

/** As Postgres can hold it. */
function storable(text: string): string {
  return JSON.parse(toJsonText(text)) as string;
}

/** Without what readers do not see and models do: control, direction and tag characters. Line breaks and tabs stay. */
function shown(text: string): string {
  return storable(text)
    .replace(/[\p{Cc}\p{Cf}]/gu, (sign) => (sign === '\n' || sign === '\t' || sign === '\u200d' ? sign : ''))
    .trim();
}

/** Descriptions and titles within a schema are read by the model; everything else keeps its exact wording. */
function shownSchema(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return key === 'description' || key === 'title' ? shown(value) : storable(value);
  if (Array.isArray(value)) return value.map((item) => shownSchema(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [storable(name), shownSchema(inner, name)] as const);
  return Object.fromEntries(entries);
}

function inSortedOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSortedOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inSortedOrder(inner)]));
}

/** Stops looking at `MAX_DEPTH`, so that no depth is too deep for it. */
function depthOf(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > MAX_DEPTH) return above;
  return Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner, above + 1)), above);
}

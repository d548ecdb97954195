import { cutText } from '@app/common';
import { z } from 'zod';
import { toolApproval, type ApprovalDeclaration, type PersonsWords, type ToolApproval } from './approval.js';
import { formatPath } from '../graph/node-schema.js';
import type { PortPresence } from './ports.js';
import { checkUnresolvedParams, toMessage } from './check-params.js';
import { checkParamNames } from './check-param-names.js';
import { toParamsInDefinitions } from './params-in-definitions.js';
import { findTooWide } from './find-too-wide.js';
import { parseParams } from './parse-params.js';
import { checkUnnamedNext } from './check-unnamed-next.js';
import { type OutletDeclaration, toCatalogueOutlets } from './outlet.js';
import type { ToolCatalogue } from './tool-catalogue.js';
import { toCatalogueParams, toParamsSchema } from './param.js';
import { ToolError } from '../tool-error.js';
import type { SideEffects, Tool, ToolContext, ToolResult } from './tool.js';

export interface ToolDefinition<P extends z.ZodObject> {
  /** snake_case, unique in the catalogue; stands in saved definitions, so it never changes. */
  kind: string;
  /** Semantic version of the params and the output. */
  version: string;
  title: string;
  description: string;
  category: { key: string; label: string };
  /** A lucide icon name. */
  icon: string;
  isEntry?: boolean;
  /** Its result says which of `next` are taken. */
  isBranching?: boolean;
  /** Where its params name those of `next` that belong to an answer, a case or the like. */
  outlets?: readonly OutletDeclaration[];
  isConversational?: boolean;
  /** Works through many items with `context.nested.processItems`. */
  isBatchProcessor?: boolean;
  /** False: cannot be a part of another node (an item of a batch, an agent's tool), for example because it waits. */
  isNestable?: boolean;
  /** Params that are filled in item by item, with `context.nested.bind`. */
  itemParams?: readonly string[];
  /** Params that hold a definition of their own, whose references are its own. */
  opaqueParams?: readonly string[];
  deprecated?: boolean;
  sideEffects: SideEffects;
  /** For kinds whose effects depend on params that take no references; never worse than `sideEffects`. */
  sideEffectsOf?(params: Record<string, unknown>): SideEffects;
  /** Absent: asked about before each use by an agent, unless its `sideEffects` are none. */
  approval?: ApprovalDeclaration;
  /** Its params reach rows that people see (a question, a child's payload): no secret can stand in them. */
  keepsParams?: boolean;
  timeoutSeconds: number;
  params: P;
  output: z.ZodType;
  /** Params as an author would write them; each has to be valid. They stand in the JSON Schema. */
  examples?: Record<string, unknown>[];
  connections?: { type: string; required: boolean }[];
  /** The plan feature that it needs, beside that of workflows; the adapter of its port refuses it to whoever lacks it. */
  feature?: string;
  /** What params alone cannot check; called with params that may hold references. */
  checkNode?(
    params: Record<string, unknown>,
    next: readonly string[],
    catalogue: ToolCatalogue | undefined,
  ): { code?: string; path: string; message: string; isWarning?: boolean }[];
  /** Null when the ports that it needs are there, else the reason for people. */
  unavailableReason?(ports: PortPresence): string | null;
  run(params: z.output<P>, context: ToolContext): Promise<ToolResult> | ToolResult;
}

/** Declares a node kind: the catalogue, the check at save and the runner all follow from this one object. */
export function defineKind<P extends z.ZodObject>(definition: ToolDefinition<P>): Tool {
  const unavailableReason = (ports: PortPresence): string | null => definition.unavailableReason?.(ports) ?? null;
  // The JSON Schemas of all kinds take a fifth of a second, and several parts of an app ask for them as it starts.
  const ofSchemas = once(() => ({
    params: toCatalogueParams(definition.params),
    params_schema: {
      ...toParamsSchema(definition.params),
      ...(definition.examples && { examples: definition.examples }),
    },
    output_schema: z.toJSONSchema(definition.output, { unrepresentable: 'any' }),
  }));
  const outputNames = once(() => namesOfOutput(definition.output));
  const paramsInDefinitions = once(() => toParamsInDefinitions(definition.params, new Set(definition.opaqueParams)));
  return {
    kind: definition.kind,
    version: definition.version,
    title: definition.title,
    description: definition.description,
    ...(definition.feature !== undefined && { feature: definition.feature }),
    deprecated: definition.deprecated ?? false,
    isEntry: definition.isEntry ?? false,
    isBranching: definition.isBranching ?? false,
    outlets: definition.outlets ?? [],
    isBatchProcessor: definition.isBatchProcessor ?? false,
    isNestable: definition.isNestable ?? !(definition.isConversational || definition.isBatchProcessor),
    ...(definition.itemParams && { itemParams: new Set(definition.itemParams) }),
    ...(definition.opaqueParams && { opaqueParams: new Set(definition.opaqueParams) }),
    sideEffects: definition.sideEffects,
    ...(definition.sideEffectsOf && { sideEffectsOf: definition.sideEffectsOf }),
    approvalFor: (input, words) => approvalOf(definition, input, words),
    keepsParams: definition.keepsParams ?? false,
    timeoutSeconds: definition.timeoutSeconds,
    category: definition.category,
    paramNames: new Set(Object.keys(definition.params.shape)),
    unavailableReason,
    paramsInDefinitions,
    outputNames,
    checkParams(params, next, catalogue) {
      const wide = findTooWide(definition.params, params);
      if (wide) return [{ code: 'invalid_params', path: `params${formatPath(wide.path)}`, message: wide.message }];
      const own = definition.checkNode?.(params, next, catalogue) ?? [];
      return [
        ...checkUnresolvedParams(definition.params, params, definition.opaqueParams),
        ...own.map(({ code = 'invalid_params', path, ...rest }) => ({ code, path: `params.${path}`, ...rest })),
        ...checkParamNames(definition.kind, definition.params, params),
        ...checkUnnamedNext(definition.outlets ?? [], params, next),
      ];
    },
    run(params, context) {
      const wide = findTooWide(definition.params, params);
      if (wide) throw new ToolError('invalid_params', `${wide.path.join('.')}: ${wide.message}`, false);
      const parsed = parseParams(definition.params, params);
      if (!parsed.success) {
        const reasons = parsed.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.')}: ${toMessage(issue)}`);
        throw new ToolError('invalid_params', cutText(reasons.join(' '), 1_000), false);
      }
      return definition.run(parsed.data, context);
    },
    toCatalogueEntry: (ports) => ({
      kind: definition.kind,
      name: definition.title,
      description: definition.description,
      category: definition.category.key,
      icon: definition.icon,
      version: definition.version,
      deprecated: definition.deprecated ?? false,
      is_entry: definition.isEntry ?? false,
      is_branching: definition.isBranching ?? false,
      is_batch_processor: definition.isBatchProcessor ?? false,
      is_conversational: definition.isConversational ?? false,
      side_effects: definition.sideEffects,
      timeout_seconds: definition.timeoutSeconds,
      params: ofSchemas().params,
      outlets: toCatalogueOutlets(definition.outlets ?? []),
      params_schema: ofSchemas().params_schema,
      output_schema: ofSchemas().output_schema,
      connections: definition.connections ?? [],
      feature: definition.feature ?? null,
      available: unavailableReason(ports) === null,
      unavailable_reason: unavailableReason(ports),
    }),
  };
}

/** Made when it is first asked for; nobody changes it. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function approvalOf(
  {
    kind,
    title,
    sideEffects,
    approval,
  }: Pick<ToolDefinition<z.ZodObject>, 'kind' | 'title' | 'sideEffects' | 'approval'>,
  input: Record<string, unknown>,
  words: PersonsWords,
): ToolApproval | null {
  if (typeof approval === 'function') return approval(input, words);
  return approval === 'never' || sideEffects === 'none' ? null : toolApproval(kind, '', `Use ${title}`);
}

/** An output that lets other fields through as well (a trigger's, a set's) has no names to be held to. */
function namesOfOutput(output: z.ZodType): readonly string[] | null {
  if (!(output instanceof z.ZodObject)) return null;
  const { catchall } = output.def;
  return catchall && !(catchall instanceof z.ZodNever) ? null : Object.keys(output.shape);
}

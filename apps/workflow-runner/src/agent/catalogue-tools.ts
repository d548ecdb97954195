import { type AgentTool, type ToolAnswer, type ToolCallContext, cutLine } from '@app/agents';
import { type Clock, isDictionary, isUuid } from '@app/common';
import { documentMediaPath } from '@app/documents';
import {
  type NodeUsage,
  sideEffectsOf,
  type Tool,
  type ToolCatalogue,
  type ToolContext,
  type ToolPorts,
  type Viewer,
} from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import { runPart } from '../engine/run-part.js';
import { kindSchema } from './kind-schema.js';
import { OFFERED_KINDS, type OfferedKind, WRITING_KINDS } from './offered-kinds.js';
import { sourceOfKind, targetOfKind } from './outside-effects.js';
import { StayingHttp } from './staying-http.js';
import { toCallError } from './tool-failure.js';

/** For whom tools work, and as a part of what. */
export interface Caller {
  viewer: Viewer;
  /** Of the turn, or of the run of the workflow. */
  workId: string;
}

/** A turn of a conversation. */
export interface TurnCaller extends Caller {
  /** Whether a model of the house answers. */
  onPremises: boolean;
  /** Tells those who follow the turn (docs/contract/chats.md#the-channel). */
  tell(eventType: string, event: Record<string, unknown>): void;
}

/** The model gets less of it; but of a long text the beginning is better than nothing. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 20;
const MAX_DEPTH = 6;
const MAX_WARNINGS = 10;

/** The node kinds of the catalogue as tools of an agent: what works in a workflow works here, with the same checks. */
export class CatalogueTools {
  private readonly logger = new Logger(CatalogueTools.name);
  /** To derive them takes a while. */
  private readonly shown = new Map<string, Pick<AgentTool, 'description' | 'inputSchema'>>();

  constructor(
    private readonly catalogue: ToolCatalogue,
    private readonly ports: ToolPorts,
    private readonly clock: Clock,
  ) {}

  /** Those that this deployment has the ports for. */
  list(caller: Caller, isOffered: (tool: Tool) => boolean = () => true): AgentTool[] {
    return OFFERED_KINDS.flatMap(({ kind }) => {
      const tool = this.catalogue.find(kind);
      return (tool && isOffered(tool) && this.find(kind, caller)) || [];
    });
  }

  /** Any nestable kind, as an author may list it. */
  find(kind: string, caller: Caller): AgentTool | null {
    const tool = this.catalogue.find(kind);
    if (!tool || !tool.isNestable || tool.isEntry || tool.unavailableReason(this.ports) !== null) return null;
    const offer = OFFERED_KINDS.find((one) => one.kind === kind) ?? { kind };
    return this.toAgentTool(tool, offer, caller);
  }

  private toAgentTool(tool: Tool, offer: OfferedKind, caller: Caller): AgentTool {
    const { kind, title } = tool;
    const settable = (input: Record<string, unknown>) => pick(input, offer.params);
    return {
      name: kind,
      title,
      ...this.shownOf(tool, offer),
      effectsOf: (input) => sideEffectsOf(tool, settable(input)) ?? 'external',
      approvalFor: (input, words) => tool.approvalFor(settable(input), words),
      sentArguments: settable,
      sourceOf: (input) => sourceOfKind(kind, settable(input)),
      targetOf: (input) => targetOfKind(kind, settable(input)),
      run: (input, context) => this.run(tool, settable(input), caller, context),
    };
  }

  private shownOf(tool: Tool, offer: OfferedKind): Pick<AgentTool, 'description' | 'inputSchema'> {
    const known = this.shown.get(tool.kind);
    if (known) return known;
    const entry = tool.toCatalogueEntry(this.ports);
    const shown = {
      description: offer.description ?? entry.description,
      inputSchema: kindSchema(entry, offer.params),
    };
    this.shown.set(tool.kind, shown);
    return shown;
  }

  private async run(
    tool: Tool,
    input: Record<string, unknown>,
    { viewer, workId }: Caller,
    context: ToolCallContext,
  ): Promise<ToolAnswer> {
    const { signal, idempotencyKey } = context;
    const fieldsOf = (message: string) => `${tool.kind}: ${cutLine(message, 300)}`;
    const toolContext: ToolContext = {
      ...this.ports,
      ...(this.ports.http && { http: new StayingHttp(this.ports.http) }),
      signal,
      runId: workId,
      nodeId: 'agent',
      attempt: 1,
      idempotencyKey,
      viewer,
      next: [],
      resume: null,
      payload: null,
      now: () => this.clock.now(),
      sleep: (milliseconds) => sleep(milliseconds, signal),
      progress: () => undefined,
      log: {
        info: (message) => this.logger.debug(fieldsOf(message)),
        warn: (message) => this.logger.warn(fieldsOf(message)),
      },
    };
    try {
      const used = { tokens: 0, cost: 0 };
      const count = ({ tokens, spend }: NodeUsage): void => {
        used.tokens += tokens;
        used.cost += spend;
      };
      const warnings: string[] = [];
      const warned = (told: readonly string[]) => void warnings.push(...told.map((one) => cutLine(one, 300)));
      const output = await runPart(tool, tool.kind, input, toolContext, { used: count, warned }, MAX_OUTPUT_BYTES);
      return { ...answerOf(tool.kind, withWarnings(output, warnings), context), usage: used };
    } catch (error) {
      throw toCallError(error, tool.kind, this.logger);
    }
  }
}

/** Before all else, so that they stand in the beginning of what is too long to be shown. */
function withWarnings(output: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0) return output;
  const told = warnings.slice(0, MAX_WARNINGS);
  return isDictionary(output) ? { warnings: told, ...output } : { warnings: told, result: output };
}

function answerOf(kind: string, output: unknown, { cite }: ToolCallContext): ToolAnswer {
  if (typeof output !== 'object' || output === null) return { output };
  const fields = output as Record<string, unknown>;
  const answer: ToolAnswer = { output: withCitations(kind, fields, cite) };
  if (WRITING_KINDS.has(kind)) answer.files = mediaPathsIn(output).slice(0, MAX_FILES);
  if (kind === 'dashboard' && typeof fields.mgid === 'string') answer.mgid = fields.mgid;
  if (kind === 'publish_artifact' && typeof fields.artifact_id === 'string') answer.dashboardId = fields.artifact_id;
  return answer;
}

/** Where the passages stand in the outputs of kinds that find some. */
const PASSAGES: Record<string, string> = { semantic_search: 'items', ask_documents: 'sources' };

function withCitations(
  kind: string,
  output: Record<string, unknown>,
  cite: ToolCallContext['cite'],
): Record<string, unknown> {
  const field = PASSAGES[kind];
  const passages = field === undefined ? null : output[field];
  if (field === undefined || !Array.isArray(passages)) return output;
  const numbered = passages.map((passage: Record<string, unknown>) => {
    const { document_uid: uid, filename, page, text } = passage;
    if (typeof uid !== 'string' || typeof filename !== 'string' || typeof text !== 'string') return passage;
    const path = isUuid(uid) ? documentMediaPath(uid, filename) : null;
    const citation = cite({ uid, filename, page: typeof page === 'number' ? page : null, text, path });
    return { citation, ...passage };
  });
  return { ...output, [field]: numbered };
}

function mediaPathsIn(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    if (name === 'media_path' && typeof one === 'string') return [one];
    return typeof one === 'object' ? mediaPathsIn(one, depth + 1) : [];
  });
}

function pick(input: Record<string, unknown>, names: readonly string[] | undefined): Record<string, unknown> {
  if (!names) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new Error('The call was given up.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

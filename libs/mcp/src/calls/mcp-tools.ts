import {
  BadGatewayError,
  ConflictError,
  cutText,
  type DomainError,
  GatewayTimeoutError,
  NotFoundError,
} from '@app/common';
import { findProblem } from '@app/integrations';
import { Injectable, Logger } from '@nestjs/common';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { DataSource } from 'typeorm';
import { McpFailure } from '../client/mcp-failure.js';
import { SessionPool } from '../client/session-pool.js';
import { ServerOutcomes } from '../servers/server-outcomes.js';
import { type StoredServer, StoredServers } from '../servers/stored-server.js';
import { slugOf } from '../tools/offered-name.js';
import { IS_OFFERED } from '../tools/stored-tools.js';
import type { ToolAnnotations } from '../tools/tool-definition.js';
import { ToolLists } from './tool-lists.js';
import { callResult, errorResult, type ToolResult, toToolResult } from '../tools/tool-result.js';

/** A tool of a connected server as a model is told of it. Everything but the names of the server is the server's word. */
export interface OfferedTool {
  /** `<slug>__<tool>`: at most 64 letters, digits, `_` and `-`; unique for the user. */
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Claims of the server. */
  annotations: ToolAnnotations;
  /** What the server itself calls the tool. */
  toolName: string;
  serverId: number;
  serverLabel: string;
  serverSlug: string;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Told to the server as `_meta['atrium/idempotency-key']`; servers that know it recognise a repetition. */
  idempotencyKey?: string;
  /** Milliseconds until the call is given up; two minutes unless told, ten at most. */
  timeoutMs?: number;
  onProgress?(progress: Progress): void;
}

interface FoundTool {
  serverId: number;
  name: string;
  definitionHash: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown> | null;
  toolState: 'on' | 'off' | 'changed';
  serverEnabled: boolean;
  serverStatus: string;
  serverLabel: string;
}

const CALL_MS = 120_000;
const LONGEST_CALL_MS = 600_000;

/** The tools of a user's connected servers: what the agent is offered, and how they are called. */
@Injectable()
export class McpTools {
  private readonly logger = new Logger(McpTools.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly servers: StoredServers,
    private readonly pool: SessionPool,
    private readonly outcomes: ServerOutcomes,
    private readonly lists: ToolLists,
  ) {}

  /**
   * Every tool that may be offered: of servers that are enabled and work, accepted by their owner as they are now. From
   * the database; servers that said that their tools changed are asked first, for three seconds at most.
   */
  async list(userId: number, signal: AbortSignal = new AbortController().signal): Promise<OfferedTool[]> {
    await this.lists.refreshOutdated(userId, signal);
    return this.dataSource.query<OfferedTool[]>(
      `SELECT t.offered_name AS name, t.title, t.description, t.input_schema AS "inputSchema", t.annotations,
         t.name AS "toolName", s.id AS "serverId", s.label AS "serverLabel", s.slug AS "serverSlug"
       FROM mcp_servers s JOIN mcp_tools t ON t.server_id = s.id
       WHERE s.user_id = $1 AND s.enabled AND s.status = 'ok' AND ${IS_OFFERED}
       ORDER BY s.id, t.position, t.name`,
      [userId],
    );
  }

  /** What the servers say of how their tools are to be used; those that say nothing are left out. */
  instructions(userId: number): Promise<{ id: number; label: string; text: string }[]> {
    return this.dataSource.query<{ id: number; label: string; text: string }[]>(
      `SELECT s.id, s.label, s.server_info->>'instructions' AS text FROM mcp_servers s
       WHERE s.user_id = $1 AND s.enabled AND s.status = 'ok' AND s.server_info->>'instructions' <> ''`,
      [userId],
    );
  }

  /**
   * Why a tool is not offered that there is: its server is out, or its owner has not accepted it as it is. Null where
   * there is none of that name, or it is offered.
   */
  async whyNotOffered(userId: number, name: string): Promise<ConflictError | null> {
    const slug = slugOf(name);
    const tool = slug === null ? null : await this.find(userId, slug, name);
    return tool && whyUnusable(tool);
  }

  /**
   * Calls a tool by its offered name. What the tool itself reports as wrong, and input that its schema forbids, is a
   * result with `isError`.
   * @throws NotFoundError (`mcp_tool_not_found`), ConflictError (`mcp_tool_changed`, `mcp_tool_off`,
   *   `mcp_server_disabled`, `mcp_server_not_ok`), BadGatewayError (`mcp_server_failed`, `mcp_sign_in_needed`) and
   *   GatewayTimeoutError (`mcp_server_timeout`), after both of which the tool may have done its work; the signal's reason
   */
  async call(userId: number, name: string, input: Record<string, unknown>, options: CallOptions): Promise<ToolResult> {
    const slug = slugOf(name);
    const tool = slug === null ? null : await this.find(userId, slug, name);
    if (!tool) throw unknownTool(name);
    return this.run(userId, tool, input, options);
  }

  /** The same by the server's slug, and the tool's own or offered name. */
  async callOn(
    userId: number,
    { server, tool: name }: { server: string; tool: string },
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<ToolResult> {
    const tool = await this.find(userId, server, name);
    if (!tool) throw unknownTool(name);
    return this.run(userId, tool, input, options);
  }

  private async find(userId: number, slug: string, name: string): Promise<FoundTool | null> {
    const [row] = await this.dataSource.query<FoundTool[]>(
      `SELECT s.id AS "serverId", t.name, t.definition_hash AS "definitionHash", t.input_schema AS "inputSchema",
         t.output_schema AS "outputSchema", s.enabled AS "serverEnabled", s.status AS "serverStatus", s.label AS "serverLabel",
         CASE WHEN NOT t.enabled THEN 'off' WHEN t.accepted_hash = t.definition_hash THEN 'on' ELSE 'changed' END AS "toolState"
       FROM mcp_servers s JOIN mcp_tools t ON t.server_id = s.id
       WHERE s.user_id = $1 AND s.slug = $2 AND (t.offered_name = $3 OR t.name = $3)
       ORDER BY t.offered_name = $3 DESC LIMIT 1`,
      [userId, slug, name],
    );
    return row ?? null;
  }

  private async run(
    userId: number,
    tool: FoundTool,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<ToolResult> {
    options.signal.throwIfAborted();
    const unusable = whyUnusable(tool);
    if (unusable) throw unusable;
    const problem = findProblem(`${tool.definitionHash}:in`, tool.inputSchema, input);
    if (problem) return errorResult(`The input does not fit the tool: ${problem}.`);
    const server = await this.open(userId, tool.serverId);
    try {
      const result = await this.send(server, tool, input, options);
      if (server.lastError !== '') await this.outcomes.callWorked(server);
      const { structured } = result;
      if (!structured || !tool.outputSchema || result.isError) return result;
      const isPromised = findProblem(`${tool.definitionHash}:out`, tool.outputSchema, structured) === null;
      return isPromised ? result : { ...result, structured: null };
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      if (error.kind === 'rpc') return errorResult(error.message);
      await this.outcomes.callFailed(server, error);
      this.logger.warn(`A call to the tool server ${server.id} failed: ${error.kind}`);
      throw toDomainError(error);
    }
  }

  private async open(userId: number, id: number): Promise<StoredServer> {
    try {
      return await this.servers.get(userId, id);
    } catch (error) {
      throw error instanceof McpFailure ? toDomainError(error) : error;
    }
  }

  private async send(
    server: StoredServer,
    { name }: FoundTool,
    input: Record<string, unknown>,
    { signal, idempotencyKey, timeoutMs = CALL_MS, onProgress }: CallOptions,
  ): Promise<ToolResult> {
    const meta = idempotencyKey === undefined ? {} : { _meta: { 'atrium/idempotency-key': idempotencyKey } };
    const request = { method: 'tools/call', params: { name, arguments: input, ...meta } };
    const limits = { signal, timeoutMs: Math.min(timeoutMs, LONGEST_CALL_MS), ...(onProgress ? { onProgress } : {}) };
    const raw = await this.pool.use(server, signal, (session) => session.request(request, callResult, limits));
    return toToolResult(raw, server.secret === null ? [] : [server.secret]);
  }
}

function unknownTool(name: string): NotFoundError {
  return new NotFoundError(`There is no tool "${cutText(name, 200)}".`, { code: 'mcp_tool_not_found' });
}

function whyUnusable({ toolState, serverEnabled, serverStatus, serverLabel }: FoundTool): ConflictError | null {
  const server = `The server of this tool, ${JSON.stringify(serverLabel)},`;
  if (!serverEnabled) return new ConflictError(`${server} is switched off.`, { code: 'mcp_server_disabled' });
  if (serverStatus === 'needs_reauth')
    return new ConflictError(`${server} needs its owner to sign in again.`, { code: 'mcp_server_not_ok' });
  if (serverStatus !== 'ok')
    return new ConflictError(`${server} does not work at the moment. Its owner should test it.`, {
      code: 'mcp_server_not_ok',
    });
  if (toolState === 'off') return new ConflictError('This tool is switched off.', { code: 'mcp_tool_off' });
  if (toolState === 'changed')
    return new ConflictError('The server has changed this tool. Its owner has to accept the change first.', {
      code: 'mcp_tool_changed',
    });
  return null;
}

/** What an outage is to whoever called. */
export function toDomainError(failure: McpFailure): DomainError {
  const cause = { cause: failure };
  if (failure.kind === 'timeout')
    return new GatewayTimeoutError(failure.message, { code: 'mcp_server_timeout', ...cause });
  const code = failure.kind === 'sign_in' ? 'mcp_sign_in_needed' : 'mcp_server_failed';
  return new BadGatewayError(failure.message, { code, ...cause });
}

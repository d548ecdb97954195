import { createHash } from 'node:crypto';
import {
  type AgentTool,
  type ServerInstructions,
  type ToolAnswer,
  type ToolCallContext,
  ToolCallError,
  type ToolEffects,
} from '@app/agents';
import { BadGatewayError, GatewayTimeoutError, toJsonText } from '@app/common';
import { toSoundSchema } from '@app/integrations';
import type { McpTools, OfferedTool } from '@app/mcp';
import { type StoragePort, toolApproval, type Viewer } from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import { partyOf } from './outside-effects.js';
import { keepServerFiles } from './server-files.js';
import { toCallError } from './tool-failure.js';

/** The tools of the user's connected servers as tools of an agent. */
export class ServerTools {
  private readonly logger = new Logger(ServerTools.name);

  constructor(
    private readonly tools: McpTools,
    private readonly storage: StoragePort | undefined,
  ) {}

  /** Empty where the list cannot be had: a turn goes on without. */
  async list(viewer: Viewer, signal: AbortSignal): Promise<AgentTool[]> {
    try {
      return (await this.tools.list(viewer.userId, signal)).map((tool) => this.toAgentTool(tool, viewer));
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn(`A turn does without connected tools: ${String(error)}`);
      return [];
    }
  }

  /** Why a tool that there is was not listed; null for any other name. */
  async whyMissing({ userId }: Viewer, name: string): Promise<string | null> {
    return (await this.tools.whyNotOffered(userId, name))?.message ?? null;
  }

  /** What servers say of how their tools are to be used, by label. */
  async instructions({ userId }: Viewer): Promise<ReadonlyMap<string, ServerInstructions>> {
    const told = await this.tools.instructions(userId);
    return new Map(told.map(({ id, label, text }) => [label, { text, party: partyOf({ id, label }) }]));
  }

  private toAgentTool(offered: OfferedTool, viewer: Viewer): AgentTool {
    const { name, toolName, serverLabel, annotations, inputSchema, description } = offered;
    const { readOnlyHint: isReading = false } = annotations;
    const effects: ToolEffects = isReading ? 'none' : annotations.idempotentHint ? 'idempotent' : 'external';
    const party = partyOf({ id: offered.serverId, label: serverLabel });
    const title = `${offered.title || toolName} (${serverLabel})`;
    return {
      name,
      title,
      server: serverLabel,
      description: `${description} [tool of the connected server ${serverLabel}]`,
      // Strangers write it, and one tool must not take the turn from all others.
      inputSchema: toSoundSchema(inputSchema),
      effectsOf: () => effects,
      sourceOf: () => party,
      targetOf: () => party,
      // Its owner has read the definition and accepted it; what it claims to be counts from then on.
      approvalFor: (input, words) => {
        const [host] = words.foreignHosts(input);
        if (!isReading)
          return toolApproval(`mcp:${offered.serverId}`, `${toolName}:${versionOf(offered)}`, `Call ${title}`);
        return host === undefined
          ? null
          : toolApproval(
              `mcp:${offered.serverId}`,
              `${toolName}:${host}`,
              `Let ${title} work on an address at ${host} that is not your own`,
            );
      },
      run: (input, context) => this.run(offered, viewer, input, context, effects),
    };
  }

  private async run(
    { name }: OfferedTool,
    viewer: Viewer,
    input: Record<string, unknown>,
    context: ToolCallContext,
    effects: ToolEffects,
  ): Promise<ToolAnswer> {
    const { signal, idempotencyKey } = context;
    try {
      const result = await this.tools.call(viewer.userId, name, input, { signal, idempotencyKey });
      const { files, pictures } = await keepServerFiles(this.storage, viewer, result.files, context);
      const note = files.length > 0 ? `\n[Files kept: ${files.join(', ')}]` : '';
      return { output: result.text + note, isError: result.isError, isCut: result.truncated, files, pictures };
    } catch (error) {
      signal.throwIfAborted();
      const failure = toCallError(error, name, this.logger);
      const isUnclear = error instanceof BadGatewayError || error instanceof GatewayTimeoutError;
      if (!isUnclear || effects === 'none') throw failure;
      throw new ToolCallError(failure.code, `${failure.message} Nobody knows whether the call took effect.`);
    }
  }
}

/** Consent to a tool ends when its definition changes. */
function versionOf({ title, description, inputSchema, annotations }: OfferedTool): string {
  return createHash('sha256')
    .update(toJsonText([title, description, inputSchema, annotations]))
    .digest('hex')
    .slice(0, 16);
}

import { AuditLog } from '@app/audit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from './mcp-servers.js';
import { ServerRecords } from './server-records.js';
import { StoredTools, type ToolChoice } from '../tools/stored-tools.js';

/** What the owner of a server lets the agent use of it. */
@Injectable()
export class ToolAcceptance {
  constructor(
    private readonly dataSource: DataSource,
    private readonly records: ServerRecords,
    private readonly tools: StoredTools,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Takes tools as they are now.
   * @param hashes what the owner saw, by name: when the server has changed one since, none is taken
   * @returns how many were waiting
   * @throws NotFoundError, ConflictError (`mcp_tool_changed`)
   */
  async accept(
    actor: Actor,
    serverId: number,
    choice: ToolChoice,
    hashes: Readonly<Record<string, string>>,
  ): Promise<number> {
    await this.records.get(actor.userId, serverId);
    return this.dataSource.transaction(async (tx) => {
      const count = await this.tools.accept(serverId, choice, hashes, tx);
      if (count > 0) await this.note('mcp_server.tools_accepted', actor, serverId, { ...named(choice), count }, tx);
      return count;
    });
  }

  /** @returns how many were switched @throws NotFoundError */
  async enable(actor: Actor, serverId: number, choice: ToolChoice, enabled: boolean): Promise<number> {
    await this.records.get(actor.userId, serverId);
    return this.dataSource.transaction(async (tx) => {
      const count = await this.tools.enable(serverId, choice, enabled, tx);
      if (count > 0)
        await this.note('mcp_server.tools_switched', actor, serverId, { ...named(choice), enabled, count }, tx);
      return count;
    });
  }

  private async note(
    action: 'mcp_server.tools_accepted' | 'mcp_server.tools_switched',
    actor: Actor,
    serverId: number,
    details: Record<string, unknown>,
    tx: Parameters<AuditLog['record']>[1],
  ): Promise<void> {
    await this.audit.record({ action, actor, target: `mcp_server:${serverId}`, details }, tx);
  }
}

const MAX_NAMED = 50;

function named(choice: ToolChoice): { tools: readonly string[] | 'all' } {
  return { tools: 'all' in choice ? 'all' : choice.names.slice(0, MAX_NAMED) };
}

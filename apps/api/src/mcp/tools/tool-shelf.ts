import type { ApiScope, Principal } from '@app/auth';
import { ForbiddenError } from '@app/common';
import { Gates } from '@app/entitlements';
import { Injectable } from '@nestjs/common';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { DocumentTools } from './document-tools.js';
import { TableTools } from './table-tools.js';
import type { McpTool } from './tool.js';
import { WorkflowTools } from './workflow-tools.js';

/** All tools that MCP clients may call. */
@Injectable()
export class ToolShelf {
  private readonly tools: ReadonlyMap<string, McpTool>;

  constructor(
    documents: DocumentTools,
    tables: TableTools,
    workflows: WorkflowTools,
    private readonly gates: Gates,
  ) {
    const all = [...documents.tools, ...tables.tools, ...workflows.tools];
    this.tools = new Map(all.map((tool) => [tool.name, tool]));
  }

  find(name: string): McpTool | undefined {
    return this.tools.get(name);
  }

  get all(): readonly McpTool[] {
    return [...this.tools.values()];
  }

  /** @throws what the plan of the viewer refuses */
  async requirePlan(viewer: Principal, { part, isOpen }: McpTool): Promise<void> {
    if (!isOpen) await this.gates.check(viewer, part);
  }

  /** Those that the viewer's token is good for. */
  listFor(viewer: Principal): Tool[] {
    return [...this.tools.values()].filter(({ scope }) => hasScope(viewer, scope)).map(({ listing }) => listing);
  }

  /** @throws ForbiddenError (`insufficient_scope`) */
  requireScope(viewer: Principal, scope: ApiScope): void {
    if (!hasScope(viewer, scope))
      throw new ForbiddenError(`This token lacks the scope ${scope}.`, { code: 'insufficient_scope' });
  }
}

function hasScope({ scopes }: Principal, scope: ApiScope): boolean {
  return scopes === null || scopes.includes(scope);
}

import { AuditLog } from '@app/audit';
import { ToolCatalogue } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { adoptNodes } from '../actors/adoption.js';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { type Actor, lockOwnWorkflow } from './sharing-people.js';

const LISTED = 50;

/**
 * The owner takes nodes over that others last changed: from then on they act with the owner's rights
 * (docs/contract/workflows.md#whose-rights-a-run-has).
 */
@Injectable()
export class WorkflowAdoption {
  constructor(
    private readonly dataSource: DataSource,
    private readonly catalogue: ToolCatalogue,
    private readonly audit: AuditLog,
    private readonly announcer: RunAnnouncer,
  ) {}

  /**
   * @param nodeId an id, or the ids on the way to a node of a body; null: every node.
   * @param contentRevision the revision that the owner has read, whose nodes are taken over; null: the newest.
   * @returns the ids of the nodes that were somebody else's.
   * @throws NotFoundError, ForbiddenError for everybody but the owner; NotFoundError `unknown_node`, `version_not_found`
   */
  async adopt(
    actor: Actor,
    workflowId: string,
    nodeId: string | null,
    contentRevision: number | null,
  ): Promise<string[]> {
    const adopted = await this.dataSource.transaction(async (tx) => {
      await lockOwnWorkflow(tx, actor.userId, workflowId);
      const request = { workflowId, ownerId: actor.userId, nodeId, contentRevision };
      const nodes = await adoptNodes(tx, request, this.catalogue);
      const details = { nodes: nodes.slice(0, LISTED), count: nodes.length };
      const target = `workflow:${workflowId}`;
      if (nodes.length > 0) await this.audit.record({ action: 'workflow.nodes_adopted', actor, target, details }, tx);
      return nodes;
    });
    this.announcer.nodesChanged(workflowId, 0);
    return adopted;
  }
}

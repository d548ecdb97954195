import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DefinitionProblem, WorkflowGraph } from '../definition/graph.js';

/** Which nodes of a definition name which secret. */
export function secretUses(graph: Pick<WorkflowGraph, 'nodes'>): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  for (const { id, secretNames } of graph.nodes) {
    for (const name of secretNames) uses.set(name, [...(uses.get(name) ?? []), id]);
  }
  return uses;
}

/** Compares the secrets that a definition names with those that the workflow has. */
@Injectable()
export class SecretUses {
  constructor(private readonly dataSource: DataSource) {}

  /** One problem for each node and name without a value. @param workflowId null: a workflow that is yet to be made. */
  async findUnknown(graph: WorkflowGraph, workflowId: string | null): Promise<DefinitionProblem[]> {
    const uses = secretUses(graph);
    if (uses.size === 0) return [];
    const known = await this.namesOf(workflowId);
    const places = graph.nodes.flatMap(({ id }, index) =>
      graph.params[index]!.uses.flatMap(({ secret, path }) =>
        secret === null || known.has(secret) ? [] : [{ id, index, secret, path }],
      ),
    );
    return places.map(({ id, index, secret, path }) => ({
      code: 'unknown_secret',
      nodeId: id,
      path: `nodes[${index}].${path}`,
      message: `The workflow has no secret ${secret}.`,
    }));
  }

  private async namesOf(workflowId: string | null): Promise<ReadonlySet<string>> {
    if (workflowId === null) return new Set();
    const rows = await this.dataSource.query<{ name: string }[]>(
      'SELECT name FROM workflow_secrets WHERE workflow_id = $1',
      [workflowId],
    );
    return new Set(rows.map(({ name }) => name));
  }
}

import { NotFoundError } from '@app/common';
import { instruments } from '@app/observability';
import { connectByEdges } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A saved definition. Revisions never change, so one object serves every reader: do not change it either. */
export interface Revision {
  jsonSpec: Record<string, unknown>;
  nodes: readonly RevisionNode[];
}

/** A node as the author wrote it, with its optional fields filled in. */
export interface RevisionNode {
  id: string;
  kind: string;
  name: string | null;
  params: Record<string, unknown>;
  next: readonly string[];
  errorNext: readonly string[];
  /** Whether a whole run starts here: the nodes that `entry` names, or else all without a predecessor. */
  isEntry: boolean;
  saveOutput: boolean;
  exportOutput: boolean;
}

const MAX_CHARACTERS = 32_000_000;

/** The revisions that were asked for last, up to a size. */
@Injectable()
export class RevisionCache {
  private readonly known = new Map<string, { revision: Revision; size: number }>();
  private size = 0;

  constructor(private readonly dataSource: DataSource) {}

  /** The one that the next run will have. @throws NotFoundError when the workflow is gone or in the trash. */
  async getNewest(workflowId: string): Promise<Revision> {
    const [row] = await this.dataSource.query<{ content_revision: number }[]>(
      'SELECT content_revision FROM workflows WHERE id = $1 AND deleted_at IS NULL',
      [workflowId],
    );
    if (!row) throw new NotFoundError();
    return this.get(workflowId, row.content_revision);
  }

  /** What webhooks and schedules run: the published revision, else the newest. @throws NotFoundError as above. */
  async getForTriggers(workflowId: string): Promise<Revision> {
    const [row] = await this.dataSource.query<{ revision: number }[]>(
      'SELECT coalesce(published_revision, content_revision) AS revision FROM workflows WHERE id = $1 AND deleted_at IS NULL',
      [workflowId],
    );
    if (!row) throw new NotFoundError();
    return this.get(workflowId, row.revision);
  }

  /** @throws NotFoundError when it does not exist (any more). */
  async get(workflowId: string, contentRevision: number): Promise<Revision> {
    const key = `${workflowId}:${contentRevision}`;
    const hit = this.known.get(key);
    instruments.cacheReads.inc({ cache: 'workflow revisions', result: hit ? 'hit' : 'miss' });
    if (hit) {
      // The map's order is the order of last use.
      this.known.delete(key);
      this.known.set(key, hit);
      return hit.revision;
    }
    const [row] = await this.dataSource.query<{ spec: string }[]>(
      'SELECT json_spec::text AS spec FROM workflow_revisions WHERE workflow_id = $1 AND content_revision = $2',
      [workflowId, contentRevision],
    );
    if (!row) throw new NotFoundError();
    const revision = toRevision(JSON.parse(row.spec) as Record<string, unknown>);
    // A second reader may have come first; its object is in use already.
    const raced = this.known.get(key);
    if (raced) return raced.revision;
    this.known.set(key, { revision, size: row.spec.length });
    this.size += row.spec.length;
    for (const [oldest, { size }] of this.known) {
      if (this.size <= MAX_CHARACTERS || oldest === key) break;
      this.known.delete(oldest);
      this.size -= size;
    }
    return revision;
  }
}

export function toRevision(jsonSpec: Record<string, unknown>): Revision {
  const { json } = connectByEdges(jsonSpec);
  const nodes = Array.isArray(json.nodes) ? (json.nodes as Record<string, unknown>[]) : [];
  const read = nodes.map(toRevisionNode);
  const named = strings(jsonSpec.entry);
  const targets = new Set(read.flatMap(({ next, errorNext }) => [...next, ...errorNext]));
  const isEntry = (id: string) => (named.length > 0 ? named.includes(id) : !targets.has(id));
  return { jsonSpec, nodes: read.map((node) => ({ ...node, isEntry: isEntry(node.id) })) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function toRevisionNode(node: Record<string, unknown>): Omit<RevisionNode, 'isEntry'> {
  const isObject = typeof node.params === 'object' && node.params !== null && !Array.isArray(node.params);
  return {
    id: String(node.id),
    kind: String(node.kind),
    name: typeof node.name === 'string' && node.name !== '' ? node.name : null,
    params: isObject ? (node.params as Record<string, unknown>) : {},
    next: strings(node.next),
    errorNext: node.on_error === 'branch' ? strings(node.error_next) : [],
    saveOutput: node.save_output === true,
    exportOutput: node.export_output === true,
  };
}

/** The nodes of a branch: the start alone, or with everything after it. Null when there is no such node. */
export function branchOf(revision: Revision, startNodeId: string, runToTheEnd: boolean): string[] | null {
  const byId = new Map(revision.nodes.map((node) => [node.id, node]));
  if (!byId.has(startNodeId)) return null;
  if (!runToTheEnd) return [startNodeId];
  const branch = new Set([startNodeId]);
  for (const id of branch) {
    const node = byId.get(id);
    for (const next of [...(node?.next ?? []), ...(node?.errorNext ?? [])]) if (byId.has(next)) branch.add(next);
  }
  return [...branch];
}

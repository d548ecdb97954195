import { NotFoundError, toJsonText } from '@app/common';
import { contentsOf, keyToText, type Kinds, NodeActors, type StoredActors } from '@app/workflow-definition';
import type { EntityManager } from 'typeorm';

export interface AdoptionRequest {
  workflowId: string;
  /** Whose they are from now on. */
  ownerId: number;
  /** An id, or the ids on the way to a node of a body, like `loop/search`; null: all of them. What a node holds goes with it. */
  nodeId: string | null;
  /** The revision that the owner has read; null: the newest. */
  contentRevision: number | null;
}

interface ActedRow {
  content_revision: number;
  json_spec: Record<string, unknown>;
  acts_as: StoredActors | null;
}

/**
 * Makes nodes act as their owner, as they stand in the revision that was read; where the newest, the published one or one
 * of an active run has them unchanged, there too. The caller has locked the workflow's row.
 * @returns the ids of those that were somebody else's. @throws NotFoundError `version_not_found`, `unknown_node`
 */
export async function adoptNodes(
  tx: EntityManager,
  { workflowId, ownerId, nodeId, contentRevision }: AdoptionRequest,
  kinds: Kinds,
): Promise<string[]> {
  const rows = await tx.query<(ActedRow & { is_read: boolean })[]>(
    `SELECT v.content_revision, v.json_spec, v.acts_as, v.content_revision = coalesce($2, w.content_revision) AS is_read
     FROM workflows w JOIN workflow_revisions v ON v.workflow_id = w.id
     WHERE w.id = $1 AND (v.content_revision IN ($2, w.content_revision, w.published_revision) OR v.content_revision IN (
       SELECT r.content_revision FROM workflow_runs r WHERE r.workflow_id = $1 AND r.status IN ('PENDING', 'RUNNING')))`,
    [workflowId, contentRevision],
  );
  const read = rows.find(({ is_read: isRead }) => isRead);
  if (!read) throw new NotFoundError('There is no such version.', { code: 'version_not_found' });
  const wanted = contentsOf(read.json_spec, kinds);
  if (nodeId !== null) {
    const chosen = [...wanted.keys()].find((key) => key === nodeId) ?? [...wanted.keys()].find(isCalled(nodeId));
    if (chosen === undefined) throw new NotFoundError('The workflow has no such node.', { code: 'unknown_node' });
    for (const key of wanted.keys()) if (key !== chosen && !key.startsWith(`${chosen}\n`)) wanted.delete(key);
  }
  const before = NodeActors.from(read.acts_as, ownerId);
  for (const row of rows) await adoptIn(tx, row, wanted, workflowId, ownerId, kinds);
  return [...wanted.keys()].filter((key) => before.find(key) !== ownerId).map(keyToText);
}

function isCalled(name: string): (key: string) => boolean {
  return (key) => keyToText(key) === name;
}

async function adoptIn(
  tx: EntityManager,
  row: ActedRow,
  wanted: ReadonlyMap<string, string>,
  workflowId: string,
  ownerId: number,
  kinds: Kinds,
): Promise<void> {
  const contents = contentsOf(row.json_spec, kinds);
  const before = NodeActors.from(row.acts_as, ownerId);
  const isAdopted = (key: string) => wanted.has(key) && wanted.get(key) === contents.get(key);
  const actors = NodeActors.of([...contents.keys()], (key) => (isAdopted(key) ? ownerId : before.find(key)));
  await tx.query('UPDATE workflow_revisions SET acts_as = $3::jsonb WHERE workflow_id = $1 AND content_revision = $2', [
    workflowId,
    row.content_revision,
    toJsonText(actors.toStored()),
  ]);
}

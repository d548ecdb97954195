import { keyToText, NodeActors, type StoredActors } from '@app/workflow-definition';

/** A person as node rows and versions name them. */
export interface ActingPerson {
  id: number;
  username: string;
}

/** A node of a body whose actor is another one than that of the node that holds it. */
export interface InnerActor {
  /** The ids on the way to it, like `loop/search`. */
  nodeId: string;
  actsAs: ActingPerson | null;
}

export interface ActorsRow {
  stored: StoredActors | null;
  owner_id: number;
  names: Record<string, string> | null;
}

/** SQL: an `ActorsRow` of the revision that both expressions name. */
export function actorsOf(workflowId: string, contentRevision: string): string {
  return `(SELECT jsonb_build_object('stored', acted.acts_as, 'owner_id', owned.owner_id, 'names', (
      SELECT jsonb_object_agg(person.id, person.username) FROM users person WHERE person.id = ANY(ARRAY(
        SELECT owned.owner_id UNION SELECT (acted.acts_as->>'all')::int
        UNION SELECT value::int FROM jsonb_each_text(acted.acts_as->'nodes')))))
    FROM workflow_revisions acted JOIN workflows owned ON owned.id = acted.workflow_id
    WHERE acted.workflow_id = ${workflowId} AND acted.content_revision = ${contentRevision})`;
}

/** Whose the nodes of a revision are, for people. */
export class ShownActors {
  private readonly actors: NodeActors;

  constructor(
    private readonly row: ActorsRow | null,
    private readonly bodyPath: readonly string[] = [],
  ) {
    this.actors = row ? NodeActors.from(row.stored, row.owner_id) : NodeActors.allOf(null);
  }

  of(nodeId: string): ActingPerson | null {
    return this.toPerson(this.actors.of(this.bodyPath, nodeId));
  }

  within(nodeId: string): InnerActor[] {
    return this.actors
      .keysWithin(this.bodyPath, nodeId)
      .map((key) => ({ nodeId: keyToText(key), actsAs: this.toPerson(this.actors.find(key)) }));
  }

  private toPerson(id: number | null): ActingPerson | null {
    const username = id === null ? undefined : this.row?.names?.[String(id)];
    return id === null || username === undefined ? null : { id, username };
  }
}

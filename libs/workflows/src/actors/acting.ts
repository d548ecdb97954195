import {
  type Kinds,
  NodeActors,
  reachOf,
  type ReachSummary,
  type ResourceType,
  type Steerer,
  Steering,
  type StoredActors,
  summariseReach,
} from '@app/workflow-definition';
import type { Revision } from '../revisions/revision-cache.js';

/** With whose rights one node works. */
export interface NodeActor {
  /** Null: nobody's; the node cannot run until it is adopted. */
  userId: number | null;
  /** Params that name things, and others whose nodes have a say in them: these things have to be theirs too. */
  shared: readonly { param: string; type: ResourceType; others: readonly Steerer[] }[];
}

/** With whose rights the nodes of one run work (docs/contract/workflows.md#whose-rights-a-run-has). */
export class Acting {
  private readonly actors: NodeActors;
  private readonly past: readonly NodeActors[];
  private steering: Steering | null = null;
  private readonly known = new Map<string, NodeActor>();

  /**
   * @param stored null: all is the owner's, as in an app.
   * @param revision the whole one, also where the run is of a body in it.
   * @param past of the runs whose outputs this one took over: who had a say in these still has it.
   */
  constructor(
    private readonly stored: StoredActors | null,
    private readonly ownerId: number,
    private readonly revision: Revision,
    private readonly bodyPath: readonly string[],
    past: readonly StoredActors[] = [],
  ) {
    this.actors = NodeActors.from(stored, ownerId);
    this.past = past.map((actors) => NodeActors.from(actors, ownerId));
  }

  /** What an app's receiver has to have agreed to; null where there is nothing to ask. */
  consentFor(kinds: Kinds): ReachSummary | null {
    if (this.stored !== null) return null;
    const needed = summariseReach(this.revision.jsonSpec, kinds);
    return needed.kinds.length > 0 ? needed : null;
  }

  of(node: { id: string; kind: string; params: Record<string, unknown> }, kinds: Kinds): NodeActor {
    let actor = this.known.get(node.id);
    if (!actor) this.known.set(node.id, (actor = this.find(node, kinds)));
    return actor;
  }

  isOwner(userId: number | null): boolean {
    return userId === this.ownerId;
  }

  private find(
    { id, kind, params }: { id: string; kind: string; params: Record<string, unknown> },
    kinds: Kinds,
  ): NodeActor {
    const userId = this.actors.of(this.bodyPath, id);
    const isAlone = this.actors.isOne && this.past.every((then) => then.isOne && then.find('') === userId);
    const resources = isAlone ? [] : Object.entries(reachOf(kind, params, kinds).resources);
    const shared = resources.flatMap(([param, type]) => {
      const others = this.steeringOf(kinds).others(this.bodyPath, id, [param]);
      return others.length > 0 ? [{ param, type, others }] : [];
    });
    return { userId, shared };
  }

  private steeringOf(kinds: Kinds): Steering {
    return (this.steering ??= new Steering(this.revision.jsonSpec, this.actors, kinds, this.past));
  }
}

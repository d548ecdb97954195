import { compileParams, type ReferenceUse } from '../references/params-template.js';
import { isObject, type Kinds, nodeKey, parentKey, writtenNodes } from '../tools/node-contents.js';
import type { NodeActors } from './node-actors.js';

/** A node of somebody else whose output decides what another one reaches. */
export interface Steerer {
  nodeId: string;
  /** Null: an account that is gone. */
  userId: number | null;
}

interface Place {
  key: string;
  id: string;
  path: readonly string[];
  params: Record<string, unknown>;
  kind: string;
}

/**
 * Who else has a say in what a node reaches: the people whose nodes lead, by references, to the params that name a
 * document, a file, a table or a workflow. In a body, the node that holds it and all that leads there count too.
 */
export class Steering {
  private readonly places = new Map<string, Place>();
  /** Keys of the nodes in each node's body. */
  private readonly inner = new Map<string, string[]>();
  private readonly reachedBy = new Map<string, ReadonlySet<string>>();

  constructor(
    definition: Record<string, unknown>,
    private readonly actors: NodeActors,
    private readonly kinds: Kinds,
    /** Of earlier runs whose outputs are used again: the same nodes, perhaps of other people then. */
    private readonly past: readonly NodeActors[] = [],
  ) {
    for (const { path, id, node } of writtenNodes(definition, kinds)) {
      const key = nodeKey(path, id);
      const params = isObject(node.params) ? node.params : {};
      this.places.set(key, { key, id, path, params, kind: String(node.kind) });
      const holder = parentKey(key);
      if (holder !== null) this.inner.set(holder, [...(this.inner.get(holder) ?? []), key]);
    }
  }

  /** @param names of the params of the node that count. One node for each person. */
  others(path: readonly string[], nodeId: string, names: readonly string[]): Steerer[] {
    const place = this.places.get(nodeKey(path, nodeId));
    if (!place) return [];
    const own = this.actors.find(place.key);
    const found = new Map<number | null, Steerer>();
    for (const key of this.sourcesOf(place, names).flatMap((source) => [...this.lineOf(source)])) {
      for (const userId of [this.actors, ...this.past].map((actors) => actors.find(key)))
        if (userId !== own && !found.has(userId)) found.set(userId, { nodeId: this.places.get(key)!.id, userId });
    }
    return [...found.values()];
  }

  /** A node and everything that its output can depend on. */
  private lineOf(start: string): ReadonlySet<string> {
    const known = this.reachedBy.get(start);
    if (known) return known;
    const line = new Set([start]);
    for (const key of line) for (const source of this.allSourcesOf(key)) line.add(source);
    this.reachedBy.set(start, line);
    return line;
  }

  private allSourcesOf(key: string): string[] {
    const place = this.places.get(key)!;
    const holder = parentKey(key);
    return [...this.sourcesOf(place, null), ...(holder === null ? [] : [holder]), ...(this.inner.get(key) ?? [])];
  }

  /** Nodes that the params refer to, or the holder of the body whose item or payload they refer to. */
  private sourcesOf(place: Place, names: readonly string[] | null): string[] {
    const tool = this.kinds.find(place.kind);
    const isNode = (id: string) => this.places.has(nodeKey(place.path, id));
    const { uses } = compileParams(place.params, isNode, tool?.opaqueParams);
    // What is bound item by item depends on where the items come from.
    const counts = names && !tool?.itemParams ? uses.filter((use) => isIn(use, names)) : uses;
    return counts.flatMap(({ reference }) => {
      if (!reference) return [];
      if (reference.root === 'output') return [nodeKey(place.path, reference.nodeId!)];
      const holder = parentKey(place.key);
      return holder === null ? [] : [holder];
    });
  }
}

function isIn({ path }: ReferenceUse, names: readonly string[]): boolean {
  return names.some((name) => {
    const start = `params.${name}`;
    return path === start || path.startsWith(`${start}.`) || path.startsWith(`${start}[`);
  });
}

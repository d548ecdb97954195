import { contentOf, type Kinds, nodeKey, parentKey, writtenNodes } from '../tools/node-contents.js';

/** As it lies beside a revision: who last changed most nodes, and who the others, by key. Null: an account that is gone. */
export interface StoredActors {
  all: number | null;
  nodes?: Record<string, number | null>;
}

/**
 * Who last changed each node of a revision: with whose rights it reaches things
 * (docs/contract/workflows.md#whose-rights-a-run-has).
 */
export class NodeActors {
  private constructor(
    private readonly all: number | null,
    private readonly others: ReadonlyMap<string, number | null>,
  ) {}

  static allOf(userId: number | null): NodeActors {
    return new NodeActors(userId, new Map());
  }

  /** @param stored null: nothing is known, as of an app, whose every node is its receiver's. */
  static from(stored: StoredActors | null, ownerId: number): NodeActors {
    if (stored === null) return NodeActors.allOf(ownerId);
    return new NodeActors(stored.all, new Map(Object.entries(stored.nodes ?? {})));
  }

  /** @param actorOf gives the actor of each key, of which there is one per node. */
  static of(keys: readonly string[], actorOf: (key: string) => number | null): NodeActors {
    const counts = new Map<number | null, number>();
    for (const key of keys) counts.set(actorOf(key), (counts.get(actorOf(key)) ?? 0) + 1);
    const [all = null] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
    const others = new Map<string, number | null>();
    const actors = new NodeActors(all, others);
    // A node of a body comes after the node that holds it, whose actor stands for it unless it has its own.
    for (const key of keys) if (actors.find(key) !== actorOf(key)) others.set(key, actorOf(key));
    return actors;
  }

  /** Whether one person stands for everything. */
  get isOne(): boolean {
    return this.others.size === 0;
  }

  /** Null: an account that is gone, or nobody knows. */
  of(path: readonly string[], nodeId: string): number | null {
    return this.find(nodeKey(path, nodeId));
  }

  find(key: string): number | null {
    for (let at: string | null = key; at !== null; at = parentKey(at)) {
      const actor = this.others.get(at);
      if (actor !== undefined) return actor;
    }
    return this.all;
  }

  /** The nodes in the body of one that are somebody else's than what holds them. */
  keysWithin(path: readonly string[], nodeId: string): string[] {
    const holder = nodeKey(path, nodeId);
    return [...this.others.keys()].filter((key) => key.startsWith(nodeKey([holder], '')));
  }

  /** Everybody in it, each once. */
  userIds(): number[] {
    return [...new Set([this.all, ...this.others.values()])].filter((id) => id !== null);
  }

  toStored(): StoredActors {
    return { all: this.all, ...(this.others.size > 0 && { nodes: Object.fromEntries(this.others) }) };
  }
}

export interface ActedDefinition {
  jsonSpec: Record<string, unknown>;
  actors: NodeActors;
}

/** After a save: what does the same in the same place stays whose it was, and all else is the editor's. */
export function actorsAfter(
  before: ActedDefinition | null,
  jsonSpec: Record<string, unknown>,
  editorId: number,
  kinds: Kinds,
): NodeActors {
  if (!before) return NodeActors.allOf(editorId);
  if (before.actors.isOne && before.actors.find('') === editorId) return before.actors;
  const known = contentsOf(before.jsonSpec, kinds);
  const contents = contentsOf(jsonSpec, kinds);
  return NodeActors.of([...contents.keys()], (key) =>
    known.get(key) === contents.get(key) ? before.actors.find(key) : editorId,
  );
}

/** What every node does, by key. */
export function contentsOf(jsonSpec: Record<string, unknown>, kinds: Kinds): Map<string, string> {
  const contents = new Map<string, string>();
  for (const { path, id, node } of writtenNodes(jsonSpec, kinds))
    contents.set(nodeKey(path, id), contentOf(node, kinds));
  return contents;
}

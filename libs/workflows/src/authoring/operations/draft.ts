import { connectByEdges, type ToolCatalogue } from '@app/workflow-definition';
import { isJson, type Json, nodesIn, paramsIn, textsIn } from '../json.js';

/**
 * A definition that is being changed. Nodes are replaced, never written to: those that nobody replaces are the very
 * objects of the definition before, and so the same bytes.
 */
export class Draft {
  name: unknown;
  nodes: Json[];
  entry: string[];
  /** Null: the definition draws no edges. */
  edges: unknown[] | null;
  /** Ids of the nodes that were added or changed. */
  readonly touched = new Set<string>();
  /** All connections are those of the canvas: no node names what follows it, and none may begin to. */
  readonly isDrawnOnly: boolean;
  private readonly derived: ReadonlyMap<string, Json>;

  constructor(
    private readonly base: Json,
    readonly catalogue: ToolCatalogue,
  ) {
    this.name = base.name;
    this.nodes = [...nodesIn(base)];
    this.entry = textsIn(base.entry);
    this.edges = Array.isArray(base.edges) ? [...(base.edges as unknown[])] : null;
    const connected = nodesIn(connectByEdges(base, catalogue).json);
    this.derived = new Map(connected.map((node) => [String(node.id), node]));
    this.isDrawnOnly = (this.edges?.length ?? 0) > 0 && !this.nodes.some((node) => this.isConnected(node));
  }

  find(id: string): Json | undefined {
    return this.nodes.find((node) => node.id === id);
  }

  ids(): string[] {
    return this.nodes.map(({ id }) => String(id));
  }

  /** Puts the node in the place of the one of its id, or behind all; one that is equal changes nothing. */
  put(node: Json): void {
    const at = this.nodes.findIndex(({ id }) => id === node.id);
    if (at >= 0 && JSON.stringify(this.nodes[at]) === JSON.stringify(node)) return;
    this.touched.add(String(node.id));
    if (at < 0) this.nodes.push(node);
    else this.nodes[at] = node;
  }

  remove(id: string): void {
    this.nodes = this.nodes.filter((node) => node.id !== id);
    this.entry = this.entry.filter((entry) => entry !== id);
    this.touched.delete(id);
  }

  /** What follows, by whatever way out, failures left aside. */
  nextOf(node: Json): string[] {
    if (Array.isArray(node.next) && !this.isDrawnOnly) return textsIn(node.next);
    const known = this.derived.get(String(node.id));
    return textsIn(known?.next);
  }

  toSpec(): Json {
    const { name, entry, nodes, edges } = this;
    const before = JSON.stringify(textsIn(this.base.entry));
    return {
      ...this.base,
      ...(name !== undefined && { name }),
      ...(JSON.stringify(entry) !== before && { entry }),
      nodes,
      ...(edges && { edges }),
    };
  }

  private isConnected(node: Json): boolean {
    if (textsIn(node.next).length > 0 || textsIn(node.error_next).length > 0) return true;
    const outlets = this.catalogue.find(String(node.kind))?.outlets ?? [];
    const params = paramsIn(node);
    return outlets.some(({ param }) => {
      const [list, key] = param.split('[].');
      if (key === undefined) return textsIn(params[param]).length > 0;
      const items = params[list!];
      return Array.isArray(items) && items.some((item) => isJson(item) && textsIn(item[key]).length > 0);
    });
  }
}

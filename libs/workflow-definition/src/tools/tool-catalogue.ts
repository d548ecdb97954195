import { createHash } from 'node:crypto';
import type { CatalogueEntry } from './catalogue-entry.js';
import type { PortPresence } from './ports.js';
import type { Tool } from './tool.js';

/** The catalogue as it goes out (docs/contract/workflows.md#the-catalogue), in wire names. */
export interface CatalogueListing {
  categories: { key: string; label: string }[];
  tools: CatalogueEntry[];
  /** A strong entity tag, quotes included: same tools with the same availability, same tag. */
  etag: string;
}

/** Every node kind of a deployment. Throws at construction when two tools claim one kind. */
export class ToolCatalogue {
  private readonly tools = new Map<string, Tool>();

  /** @param order the groups as an editor shows them; groups that it lacks follow. */
  constructor(
    tools: Iterable<Tool>,
    private readonly order: readonly { key: string; label: string }[] = [],
  ) {
    for (const tool of tools) {
      if (this.tools.has(tool.kind)) throw new Error(`Two tools claim the node kind "${tool.kind}".`);
      if (!/^[a-z][a-z0-9_]*$/.test(tool.kind)) throw new Error(`"${tool.kind}" is not a snake_case node kind.`);
      this.tools.set(tool.kind, tool);
    }
  }

  find(kind: string): Tool | undefined {
    return this.tools.get(kind);
  }

  list(): Tool[] {
    return [...this.tools.values()];
  }

  /** Sorted by category and name. Compute it once per set of ports. */
  toListing(ports: PortPresence): CatalogueListing {
    const used = new Map(this.list().map(({ category }) => [category.key, category]));
    const ordered = [...this.order.filter(({ key }) => used.has(key)), ...used.values()];
    const categories = new Map(ordered.map((category) => [category.key, category]));
    const keys = [...categories.keys()];
    const tools = this.list()
      .map((tool) => tool.toCatalogueEntry(ports))
      .sort((a, b) => keys.indexOf(a.category) - keys.indexOf(b.category) || a.name.localeCompare(b.name, 'en'));
    const digest = createHash('sha256').update(JSON.stringify(tools)).digest('base64url');
    return { categories: [...categories.values()], tools, etag: `"${digest}"` };
  }
}

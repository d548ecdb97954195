import type { CatalogueEntry, ToolCatalogue } from '@app/workflow-definition';

/** The kinds of nodes as whoever writes and checks definitions needs them. */
export interface Catalogued {
  catalogue: ToolCatalogue;
  /** Those that may be used here and now. */
  tools: readonly CatalogueEntry[];
}

/** A file whose tables can be queried. */
export interface KnownTableFile {
  uid: string;
  filename: string;
  tables: readonly { name: string; rows: number; columns: readonly { name: string; type: string }[] }[];
}

export interface KnownServer {
  slug: string;
  label: string;
  tools: readonly {
    name: string;
    /** `<slug>__<tool>`, as agents call it. */
    offeredName: string;
    description: string;
    inputSchema: Record<string, unknown>;
  }[];
}

/**
 * What whoever has a workflow written can name in it, within their rights: names and shapes, never contents. Lists hold
 * the newest; what is not among them is looked up.
 */
export interface KnownThings {
  tableFiles: readonly KnownTableFile[];
  documents: readonly { uid: string; filename: string; folder: string }[];
  folders: readonly string[];
  servers: readonly KnownServer[];
  /** Null: the workflow is not there yet, so that what it names can be set later. */
  secrets: readonly string[] | null;
  workflows: readonly { id: string; name: string }[];
  /** Whether a document outside of the list is one that they may read. */
  mayRead(documentUid: string): Promise<boolean>;
}

/** Nothing but the kinds: what a workflow names can then not be checked. */
export const NO_THINGS: KnownThings = {
  tableFiles: [],
  documents: [],
  folders: [],
  servers: [],
  secrets: null,
  workflows: [],
  mayRead: () => Promise.resolve(false),
};

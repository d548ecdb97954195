/** A node kind that agents are offered, under its own name. */
export interface OfferedKind {
  kind: string;
  /** What it is for, where the catalogue speaks to authors of workflows. */
  description?: string;
  /** Params that the model may set; the others keep their defaults. All when absent. */
  params?: readonly string[];
}

/**
 * The kinds that make sense as tools of a model. Left out: those that wait, branch or start; those that rearrange data
 * between nodes, which `code` does; those that ask a model, which the agent is; and whatever takes secrets.
 */
export const OFFERED_KINDS: readonly OfferedKind[] = [
  {
    kind: 'semantic_search',
    description:
      "Searches the user's documents, those shared with them included, and gives the passages that fit best, each with a citation number. Begin here when the answer may stand in a document.",
  },
  {
    kind: 'ask_documents',
    description:
      "Has a question answered from the user's documents and gives the answer with its passages, each with a citation number. For one plain question; otherwise search.",
  },
  { kind: 'list_documents' },
  {
    kind: 'pdf_text',
    description: 'The text of a document, page by page; of any indexed document, not only PDF. By its uid.',
  },
  { kind: 'ocr' },
  { kind: 'read_file' },
  { kind: 'save_document' },
  {
    kind: 'file_writer',
    description:
      'Writes a file of the user, who gets it together with the answer. What is longer than about 8,000 characters goes in parts: if_exists "append", with offset 0 for the first part and then the size_bytes that the part before gave. Not for an answer that the user can read in the chat, and not for documents that are to be searched: save_document.',
  },
  { kind: 'convert_file' },
  { kind: 'spreadsheet_read' },
  {
    kind: 'database_query',
    description:
      'Runs one read-only SELECT (DuckDB) over the tables of up to 5 imported table files. Get uids, table and column names from list_tables first.',
  },
  { kind: 'ask_database' },
  { kind: 'extract_table_rows' },
  {
    kind: 'code',
    description:
      'Runs JavaScript in a sandbox, for calculations and for working on data: the body of an async function of items, params and console, which returns its result. No network, no files.',
    params: ['code', 'items', 'params'],
  },
  {
    kind: 'http_request',
    description:
      'Calls an address on the internet. The user is asked first, unless it only reads from a host that they named themselves.',
    params: [
      'method',
      'url',
      'query',
      'headers',
      'body_kind',
      'body',
      'content_type',
      'response',
      'filename',
      'max_bytes',
    ],
  },
  {
    kind: 'send_email',
    description: 'Sends a mail in the name of the user, who is asked first.',
    params: ['to', 'cc', 'bcc', 'subject', 'text', 'html', 'attachments'],
  },
  { kind: 'dashboard' },
  { kind: 'publish_artifact' },
];

/** Their outputs name files that they made. */
export const WRITING_KINDS: ReadonlySet<string> = new Set([
  'file_writer',
  'convert_file',
  'http_request',
  'save_document',
]);

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
      "Searches the user's documents, those shared with them included, and gives the passages that fit best, each with a citation number. Begin here when the answer may stand in a document. Not for numbers over the rows of tables: database_query.",
  },
  {
    kind: 'ask_documents',
    description:
      "Has a question answered from the user's documents and gives the answer with its passages, each with a citation number. Only for one plain question whose answer you pass on as it is: it costs another model; otherwise semantic_search. Not for table files: ask_database.",
  },
  {
    kind: 'list_documents',
    description:
      'Lists documents of the user by folder, part of the name, tag or date, with their uids. Not for finding what stands in them: semantic_search, ask_documents.',
  },
  {
    kind: 'pdf_text',
    description: 'The text of a document, page by page; of any indexed document, not only PDF. By its uid.',
  },
  {
    kind: 'ocr',
    description:
      'Has the text of a scanned document recognised from its pictures, by its uid. Only where pdf_text gave none: it takes minutes.',
  },
  {
    kind: 'read_file',
    description:
      'Reads a small file as text or Base64. Not for PDF, office files and scans (pdf_text), not for tables (spreadsheet_read), not for kept results (read_result).',
  },
  {
    kind: 'save_document',
    description:
      'Puts a file into the documents of the user, where it is indexed and found by search. Not for a file that the user only gets (file_writer), and not for reading or finding one (pdf_text, semantic_search).',
  },
  {
    kind: 'file_writer',
    description:
      'Writes a file of the user, who gets it together with the answer. What is longer than about 8,000 characters goes in parts: if_exists "append", with offset 0 for the first part and then the size_bytes that the part before gave. Not for an answer that the user can read in the chat, and not for documents that are to be searched: save_document.',
  },
  {
    kind: 'convert_file',
    description:
      'Writes an XLSX, XLS, ODS, CSV or TSV file in another format. Not for looking into one: spreadsheet_read.',
  },
  {
    kind: 'spreadsheet_read',
    description:
      'Reads the first rows of a sheet of a CSV, XLSX, XLS or ODS file. For sums, filters and joins over an imported table file use database_query.',
  },
  {
    kind: 'database_query',
    description:
      'Runs one read-only SELECT (DuckDB) over the tables of up to 5 imported table files. Get uids, table and column names from list_tables first.',
  },
  {
    kind: 'ask_database',
    description:
      'Has a question answered from imported table files by another model that writes the SELECT. Only where database_query failed twice: it costs, and you see the columns yourself with list_tables.',
  },
  {
    kind: 'extract_table_rows',
    description:
      'Fills an extraction table from documents and gives its rows. Not for a question about documents: semantic_search.',
  },
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
  {
    kind: 'dashboard',
    description:
      'Puts rows as a chart on one of the boards of the user, where it stays. Not for a chart in the answer: show_chart.',
  },
  {
    kind: 'publish_artifact',
    description:
      'Publishes a page or a document that can be opened and shared. Not for a file that the user only gets: file_writer.',
  },
];

/** Their outputs name files that they made. */
export const WRITING_KINDS: ReadonlySet<string> = new Set([
  'file_writer',
  'convert_file',
  'http_request',
  'save_document',
]);

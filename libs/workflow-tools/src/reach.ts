import { NO_REACH, type NodeReach, type ResourceType, type Tool } from '@app/workflow-definition';

type Params = Record<string, unknown>;
type Reach = (params: Params) => NodeReach;

const own = (resources: Record<string, ResourceType> = {}): Reach => {
  const reach = { ...NO_REACH, own: true, resources };
  return () => reach;
};
/** Inputs and language models alone. */
const nothing: Reach = () => NO_REACH;

const documents = { document_uids: 'document', folder: 'scope', tags: 'scope' } as const;
/** An agent chooses the address itself. */
const CHOSEN_BY_AGENT = { url: '{{_item}}' };

/** `<server>__<tool>`, `<server>/<tool>` and `mcp:<server>/<tool>`; no kind looks like that. */
const SERVER_TOOL = /__|\/|:/;

/** With a workflow in place of a body, it runs what its person may run. */
const nested: Reach = ({ workflow_id: workflowId }) => ({
  ...NO_REACH,
  own: isSet(workflowId),
  resources: { workflow_id: 'workflow' },
});

const http: Reach = ({ url, token_url: tokenUrl, file, files, response }) => ({
  ...NO_REACH,
  // Files that it sends, and the place for those that it keeps.
  own: isSet(file) || (isSet(files) && !(Array.isArray(files) && files.length === 0)) || response === 'file',
  resources: { file: 'file', files: 'file' },
  addresses: [url, ...(isSet(tokenUrl) ? [tokenUrl] : [])],
});

/** One that may replace a file says which by its path; it adds to files of its own run alone. */
const fileWriter: Reach = ({ if_exists: ifExists }) => {
  const resources: Record<string, ResourceType> =
    isSet(ifExists) && ifExists !== 'rename' && ifExists !== 'append' ? { path: 'scope' } : {};
  return { ...NO_REACH, own: true, resources };
};

const agent: Reach = ({ tools }) => ({
  ...NO_REACH,
  own: true,
  parts: (Array.isArray(tools) ? tools : []).map((name: unknown) => {
    const kind = String(name);
    return { kind: SERVER_TOOL.test(kind) ? 'mcp_tool' : kind, params: CHOSEN_BY_AGENT };
  }),
});

const batch: Reach = ({ kind, params }) => {
  const given = typeof params === 'object' && params !== null && !Array.isArray(params) ? (params as Params) : {};
  const part = REACH.get(String(kind))?.(given) ?? NO_REACH;
  return {
    ...NO_REACH,
    // Its own params hold those of the part, one level down.
    resources: Object.fromEntries(Object.entries(part.resources).map(([name, type]) => [`params.${name}`, type])),
    parts: [{ kind: String(kind), params: given }],
  };
};

/** Kinds that work on their inputs, ask people, or ask a language model. */
const INWARD = `
  manual_trigger webhook_trigger schedule_trigger condition switch merge ask form approval delay stop_with_error no_op set
  template expression date text regex number crypto parse_json write_json parse_csv write_csv parse_xml write_xml
  parse_html markdown_to_html filter sort deduplicate limit split edit_fields aggregate summarise join_lists compare_lists
  code language_model classify summarise_text extract_fields translate respond`
  .trim()
  .split(/\s+/);

const REACH: ReadonlyMap<string, Reach> = new Map(
  Object.entries({
    semantic_search: own(documents),
    ask_documents: own(documents),
    list_documents: own({ folder: 'scope', tag: 'scope' }),
    pdf_text: own({ document: 'document' }),
    ocr: own({ document: 'document' }),
    save_document: own({ file: 'file' }),
    read_file: own({ file: 'file' }),
    spreadsheet_read: own({ file: 'file' }),
    convert_file: own({ file: 'file' }),
    file_writer: fileWriter,
    database_query: own({ file_uids: 'table' }),
    ask_database: own({ file_uids: 'table' }),
    extract_table_rows: own({ table_id: 'extracted_table', document_uids: 'document' }),
    mcp_tool: own(),
    agent,
    publish_artifact: own(),
    dashboard: own({ board_id: 'scope' }),
    send_email: own({ attachments: 'file' }),
    http_request: http,
    webhook_out: ({ url }: Params) => ({ ...NO_REACH, addresses: [url] }),
    sub_workflow: own({ workflow_id: 'workflow' }),
    loop: nested,
    repeat: nested,
    batch,
    ...Object.fromEntries(INWARD.map((kind) => [kind, nothing])),
  } satisfies Record<string, Reach>),
);

/** Whether somebody has said what the kind reaches. */
export function isReachKnown(kind: string): boolean {
  return REACH.has(kind);
}

/** Each tool with what it reaches; one of which nobody has said it counts as reaching things of its person. */
export function withReach(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => ({ ...tool, reachOf: REACH.get(tool.kind) ?? own() }));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

import type { NodeUsage } from '../states/node-state.js';
import type { JsonText } from '../values/json-text.js';

/**
 * What a tool may reach of the outside. Each port is optional: a deployment without it shows its tools as
 * unavailable. Adapters scope every call to `viewer`, the user on whose behalf the run works.
 */
export interface Viewer {
  userId: number;
  /** What the models that a tool asks are used for: a run of a workflow, or a turn of a conversation. */
  workflowId?: string;
  runId?: string;
  turnId?: string;
  /** Who answers the turn, and so whatever is asked of a model for it; that of the profile when absent. */
  modelId?: number;
}

export interface PassageHit {
  documentUid: string;
  filename: string;
  /** 1-based; null for formats without pages. */
  page: number | null;
  text: string;
  score: number;
}

export interface DocumentScope {
  /** Only these documents; all that the viewer may read when absent. */
  documentUids?: readonly string[];
  /** Only this folder and below. */
  folder?: string;
  /** Only the viewer's own documents that have all of these tags. */
  tags?: readonly string[];
  /** At most this many passages. */
  limit?: number;
}

export interface DocumentsPort {
  search(viewer: Viewer, query: string, scope: DocumentScope, signal: AbortSignal): Promise<PassageHit[]>;
  /** Answers from the documents and names the passages that the answer rests on. */
  ask(
    viewer: Viewer,
    question: string,
    scope: DocumentScope,
    signal: AbortSignal,
  ): Promise<{ answer: string; sources: PassageHit[]; model: string; usage?: NodeUsage }>;
}

export interface LanguageModelRequest {
  system?: string;
  prompt: string;
  /** By name or id; null: the default one. */
  model?: string | null;
  temperature?: number;
  maxOutputTokens?: number;
  /** The answer is an object of this JSON Schema. */
  outputSchema?: Record<string, unknown>;
}

export interface LanguageModelPort {
  generate(
    viewer: Viewer,
    request: LanguageModelRequest,
    options: {
      signal: AbortSignal;
      idempotencyKey: string;
      /** Called with the answer as far as it is written; never for an answer with a schema. */
      onText?(text: string): void;
    },
  ): Promise<{
    text: string;
    object?: unknown;
    /** What of the schema `object` breaks, in words; absent where it fits. */
    misfit?: string;
    model: string;
    promptTokens: number;
    completionTokens: number;
    /** Null or absent where nobody knows the price. */
    cost?: number | null;
    /** Absent for a whole answer: it was `cut` at the length that the model can write, or its provider broke it off. */
    endedEarly?: 'cut' | 'broken_off';
  }>;
}

/** A file that the viewer may read. */
export interface ReadableFile {
  name: string;
  mimeType: string;
  sizeBytes: number;
  /** The bytes, read anew with each call. */
  open(): AsyncIterable<Uint8Array>;
}

export interface StoredFile {
  /** What names the file from now on: to other nodes, and for a signed address. */
  mediaPath: string;
  /** Relative path with slashes, as it is listed; another one than was asked for when that was taken. */
  path: string;
  /** Without folders. */
  name: string;
  mimeType: string;
  sizeBytes: number;
}

/** A file that a node or an agent wrote. */
export interface WrittenFile extends StoredFile, Pick<ReadableFile, 'open'> {}

export interface NewFile {
  /** Relative path with slashes. */
  name: string;
  mimeType: string;
  content: Uint8Array | AsyncIterable<Uint8Array>;
  /** Bytes that are kept free for it before it is written; the size of `content` when that is known. */
  atMostBytes?: number;
  /** A file that was written under this key is replaced; another one of the same path keeps its own. */
  idempotencyKey: string;
  /** Replaces a file of the same path, too. */
  replaces?: boolean;
  /** Whoever sees the workflow of this run may read the file. */
  runId?: string;
}

/** Files by name: the uid of a document, a media path, or the relative path of a written file. */
export interface StoragePort {
  /** @throws ToolError `file_not_found` */
  find(viewer: Viewer, file: string): Promise<ReadableFile>;
  /** What the viewer's work wrote under a key; null where there is none. */
  findWritten(viewer: Viewer, idempotencyKey: string): Promise<WrittenFile | null>;
  /** @throws ToolError `storage_limit_exceeded` */
  write(viewer: Viewer, file: NewFile, signal: AbortSignal): Promise<StoredFile>;
}

export interface ListedDocument {
  documentUid: string;
  filename: string;
  folder: string;
  mediaPath: string;
  mimeType: string;
  sizeBytes: number;
  /** A `processing_state` of docs/contract/documents.md#states. */
  state: string;
  tags: string[];
  createdAt: string;
}

export interface DocumentFilter {
  /** It and what lies below. */
  folder?: string;
  /** Part of the file name, whatever its case. */
  name?: string;
  tag?: string;
  /** ISO 8601. */
  createdFrom?: string;
  limit: number;
}

/** What is known of a document's text: it is there, or its indexing is under way, or it failed. */
export type DocumentText =
  | { state: 'ready'; filename: string; ocr: boolean; pages: { page: number; text: string }[] }
  | { state: 'working'; detail: string }
  | { state: 'failed'; detail: string };

/** The document store, beyond search. */
export interface DocumentLibraryPort {
  /** Newest first. */
  list(viewer: Viewer, filter: DocumentFilter): Promise<ListedDocument[]>;
  /** @throws ToolError `document_not_found` */
  text(viewer: Viewer, uid: string): Promise<DocumentText>;
  /**
   * Has the text of a document recognised from its pictures, unless that was done. Ask `text` for the result.
   * @throws ToolError `document_not_found`, and `not_document_owner` when somebody else's would have to be read anew
   */
  recognise(viewer: Viewer, uid: string): Promise<void>;
  /** Keeps a file as a document and has it indexed; with the same key, once. @throws ToolError */
  add(
    viewer: Viewer,
    document: { file: string; filename: string | null; folder: string; ocr: boolean; idempotencyKey: string },
    signal: AbortSignal,
  ): Promise<ListedDocument>;
}

export interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | { sizeBytes: number; open(): AsyncIterable<Uint8Array> };
  signal: AbortSignal;
  /** For everything, the last byte of the answer included. */
  timeoutMs: number;
  maxBytes: number;
  maxRedirects: number;
  /** A redirect to another host is the answer. */
  staysAtHost?: boolean;
}

export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Who answered, after redirects. */
  url: URL;
  /** Read it to its end or destroy it. */
  body: AsyncIterable<Uint8Array> & { destroy(): unknown };
}

/** The guarded way out: any status is an answer. */
export interface HttpPort {
  /** @throws EgressError; the signal's reason */
  request(address: string | URL, request: HttpRequest): Promise<HttpResponse>;
}

export interface NewMail {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  text: string;
  /** Empty: text only. */
  html: string;
  /** Empty: the address of the viewer. */
  replyTo: string;
  /** As `StoragePort.find` takes them. */
  attachments: string[];
}

export interface MailPort {
  /**
   * Hands the mail to the queue, which delivers it. Under the same key nobody gets it twice.
   * @throws ToolError `mail_limit_reached`, `attachments_too_large`, `file_not_found`
   */
  send(
    viewer: Viewer,
    mail: NewMail,
    options: { idempotencyKey: string; signal: AbortSignal },
  ): Promise<{ recipients: number }>;
}

export type SpreadsheetFormat = 'csv' | 'json' | 'xlsx' | 'ods' | 'html' | 'txt';

export interface SheetRows {
  sheet: string;
  sheets: string[];
  columns: string[];
  /** Many of them as JSON text: as objects they may take much. */
  rows: Record<string, unknown>[] | JsonText;
  count: number;
  /** There are more rows. */
  truncated: boolean;
}

/** CSV, TSV, XLSX, XLS and ODS, read where a hostile file can do no harm. */
export interface SpreadsheetsPort {
  /** @throws ToolError `file_not_found`, `sheet_not_found`, `invalid_spreadsheet` */
  read(
    viewer: Viewer,
    file: string,
    options: { sheet: string; hasHeader: boolean; limit: number },
    signal: AbortSignal,
  ): Promise<SheetRows>;
  /** The file, or one sheet of it where the format has no sheets, in another format. */
  convert(
    viewer: Viewer,
    file: string,
    options: { to: SpreadsheetFormat; sheet: string },
    signal: AbortSignal,
  ): Promise<{ name: string; mimeType: string; bytes: Uint8Array }>;
}

export interface TableResult {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
}

/** The files of the database search. */
export interface TablesPort {
  /** A single SELECT over the tables of up to 5 files. @throws ToolError `query_refused`, `query_failed` and others */
  query(viewer: Viewer, uids: readonly string[], sql: string, signal: AbortSignal): Promise<TableResult>;
  /** @throws ToolError `model_not_configured` for a question that needs a model where there is none */
  ask(
    viewer: Viewer,
    uids: readonly string[],
    question: string,
    signal: AbortSignal,
  ): Promise<TableResult & { answer: string; sql: string | null; usage?: NodeUsage }>;
}

/** Rows of an extraction table. */
export interface ExtractorPort {
  /**
   * Of the documents named, which are extracted first where the table lacks something of them, or all there are. Under the
   * same key it is the same extraction.
   */
  rows(
    viewer: Viewer,
    request: { tableId: string; documentUids: readonly string[]; limit: number; idempotencyKey: string },
    signal: AbortSignal,
  ): Promise<TableResult>;
}

/** A model that works with tools until it has an answer. */
export interface AgentPort {
  /**
   * @param request.tools kinds, and tools of connected servers as `<slug>__<tool>`: what the author listed, nothing else
   * @throws ToolError `unknown_tool`, `model_not_configured`, and what the model throws
   */
  run(
    viewer: Viewer,
    request: { instructions: string; prompt: string; tools: readonly string[]; maxSteps: number },
    options: { signal: AbortSignal; idempotencyKey: string; onText?(text: string): void },
  ): Promise<{
    text: string;
    steps: { tool: string; input: unknown; output: unknown }[];
    model: string;
    usage: NodeUsage;
  }>;
}

/** Tools of the MCP servers that the viewer has connected. */
export interface McpPort {
  call(
    viewer: Viewer,
    request: { server: string; tool: string; input: Record<string, unknown> },
    options: { signal: AbortSignal; idempotencyKey: string },
  ): Promise<{ content: unknown; isError: boolean }>;
}

/** A page, with what it may ask of its author's sources. */
export interface PublishedArtifact {
  title: string;
  kind: 'dashboard' | 'report' | 'page';
  html: string;
  queries: {
    name: string;
    sourceRef: string;
    sql: string;
    params: {
      name: string;
      type: 'text' | 'number' | 'boolean' | 'date';
      default?: string | number | boolean | null | undefined;
    }[];
  }[];
  changeNote: string;
}

export interface ArtifactsPort {
  /**
   * Once under a key. What the same node of a workflow published in another run gets its next version.
   * @param options.runId of which the key begins with it
   * @throws ToolError for a page or a query that is refused
   */
  publish(
    viewer: Viewer,
    artifact: PublishedArtifact,
    options: { signal: AbortSignal; idempotencyKey: string; runId: string },
  ): Promise<{ artifactId: string; version: number }>;
}

export interface DashboardsPort {
  /** Adds a chart, or refreshes the one that was added under the same key. */
  addChart(
    viewer: Viewer,
    chart: { boardId: string; title: string; chartType: string; rows: readonly unknown[] },
    options: { signal: AbortSignal; idempotencyKey: string },
  ): Promise<{ mgid: string }>;
}

/** The kind of node that answers the caller of a webhook. */
export const RESPOND_KIND = 'respond';

/** Those who called a webhook and wait for an answer. */
export interface CallersPort {
  /**
   * @param options.key of run and node: asking again with it is the same answer.
   * @returns false when the run serves no call, or the call was answered by another node.
   */
  answer(
    answer: { status: number; headers: Record<string, string>; body: Uint8Array },
    options: { runId: string; key: string },
  ): Promise<boolean>;
}

/** Threads for untrusted code, patterns and markup: they can be killed, and hold up nobody else. */
export interface SandboxPort {
  /**
   * @param task plain values; what the jobs are called is up to the tools.
   * @param options.limitMs of work, after which the thread is killed; waiting for a thread does not count.
   * @throws ToolError `time_limit`, `memory_limit`, `sandbox_busy`, `aborted`.
   */
  run(
    viewer: Viewer,
    task: { job: string; input: unknown },
    options: { signal: AbortSignal; limitMs: number },
  ): Promise<{ ok: true; value: unknown } | { ok: false; code: string; message: string }>;
}

/** The ports that this process has; what is absent is not configured. */
export interface ToolPorts {
  sandbox?: SandboxPort;
  documents?: DocumentsPort;
  library?: DocumentLibraryPort;
  llm?: LanguageModelPort;
  storage?: StoragePort;
  spreadsheets?: SpreadsheetsPort;
  http?: HttpPort;
  mail?: MailPort;
  tables?: TablesPort;
  extractor?: ExtractorPort;
  agent?: AgentPort;
  mcp?: McpPort;
  artifacts?: ArtifactsPort;
  dashboards?: DashboardsPort;
  callers?: CallersPort;
}

/** Which ports there are, for a process that only tells of them. */
export type PortPresence = { readonly [Port in keyof ToolPorts]?: unknown };

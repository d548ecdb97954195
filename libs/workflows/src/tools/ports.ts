/**
 * What a tool may reach of the outside. Each port is optional: a deployment without it shows its tools as
 * unavailable. Adapters scope every call to `viewer`, the user on whose behalf the run works.
 */
export interface Viewer {
  userId: number;
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
  ): Promise<{ answer: string; sources: PassageHit[]; model: string }>;
}

export interface LanguageModelRequest {
  system?: string;
  prompt: string;
  /** Null: the model that the deployment configured. */
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
    options: { signal: AbortSignal; idempotencyKey: string },
  ): Promise<{ text: string; object?: unknown; model: string; promptTokens: number; completionTokens: number }>;
}

export interface StoragePort {
  /** Bytes of a file that the viewer may read. Throws when it is missing or longer than `maxBytes`. */
  read(viewer: Viewer, mediaPath: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Keeps a file under a name made from `idempotencyKey`, so that a second call replaces the first. */
  write(
    viewer: Viewer,
    file: { name: string; mimeType: string; bytes: Uint8Array; idempotencyKey: string },
    signal: AbortSignal,
  ): Promise<{ mediaPath: string; sizeBytes: number }>;
}

/** The ports that this process has; what is absent is not configured. */
export interface ToolPorts {
  documents?: DocumentsPort;
  llm?: LanguageModelPort;
  storage?: StoragePort;
}

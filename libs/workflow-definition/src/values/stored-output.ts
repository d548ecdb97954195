import { isUuid } from '@app/common';
import type { JsonText } from './json-text.js';
import type { OutputHint } from './output-kind.js';

/** An output whose JSON is longer than this lies in the file storage. */
export const MAX_INLINE_OUTPUT_BYTES = 64 * 1024;
/** Of the JSON text, for people who look at the node. */
export const PREVIEW_LENGTH = 500;
/** The key by which a row says that its output lies elsewhere; no tool's output gets into a row with it. */
export const STORED_KEY = '$stored';

const MARK = JSON.stringify(STORED_KEY);
const PREFIX = '/media/workflow-runs/';

/** Where an output lies. */
export interface StoredFileOf {
  /** Of the file storage. */
  key: string;
  /** Bytes of the JSON text. */
  size: number;
  sha256: string;
  /** How the JSON text begins. */
  preview: string;
}

/** Stands for an output that was moved to the file storage. In a row it is `{"$stored": {…}}`. */
export class StoredOutput {
  /** @param hint only where it was just made: what it is, for whoever keeps results. */
  constructor(
    readonly file: StoredFileOf,
    readonly hint: OutputHint | null = null,
  ) {}

  /** Of a value as a row holds it; null for an ordinary output. */
  static from(value: unknown): StoredOutput | null {
    if (value instanceof StoredOutput) return value;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, STORED_KEY)) return null;
    return new StoredOutput((value as { [STORED_KEY]: StoredFileOf })[STORED_KEY]);
  }

  toJSON(): { [STORED_KEY]: StoredFileOf } {
    return { [STORED_KEY]: this.file };
  }
}

/** Whether a row with this output would be taken for one that refers to a file; the text is not long. */
export function looksStored(json: JsonText): boolean {
  if (!json.text.includes(MARK)) return false;
  const value = json.parse();
  return typeof value === 'object' && value !== null && Object.hasOwn(value, STORED_KEY);
}

/** What clients see in place of a stored output. */
export interface StoredOutputView {
  stored: true;
  size_bytes: number;
  /** To be signed like every media path. */
  media_path: string;
  preview: string;
}

export function toStoredOutputView({ file }: StoredOutput, runId: string, nodeId: string): StoredOutputView {
  const { size, preview } = file;
  return { stored: true, size_bytes: size, media_path: storedOutputPath(runId, nodeId), preview };
}

/** An output, as a row holds it, for clients. */
export function showOutput(output: unknown, runId: string, nodeId: string): unknown {
  const stored = StoredOutput.from(output);
  return stored ? toStoredOutputView(stored, runId, nodeId) : output;
}

/** Where a stored output is served. */
export function storedOutputPath(runId: string, nodeId: string): string {
  return `${PREFIX}${runId}/${encodeURIComponent(nodeId)}.json`;
}

/** Which node of which run a media path means; null for other paths. */
export function findStoredOutputInPath(path: string): { runId: string; nodeId: string } | null {
  const [runId, name, ...rest] = path.startsWith(PREFIX) ? path.slice(PREFIX.length).split('/') : [];
  if (!isUuid(runId) || !name?.endsWith('.json') || rest.length > 0) return null;
  try {
    return { runId: runId.toLowerCase(), nodeId: decodeURIComponent(name.slice(0, -'.json'.length)) };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

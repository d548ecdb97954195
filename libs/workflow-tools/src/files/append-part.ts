import { type StoragePort, ToolError, type Viewer, type WrittenFile } from '@app/workflow-definition';

/** Each part writes the file anew, so that it is never half there. */
export const MAX_APPENDED_BYTES = 10 * 1024 * 1024;

export interface Part {
  path: string;
  mimeType: string;
  content: Uint8Array;
  /** Bytes of the file before it; null where the caller does not say. */
  offset: number | null;
}

/**
 * Adds a part to a file that the same work began, or begins it: a file of others, and one of earlier work, is never touched. The
 * offset makes a repetition of a part known, whoever makes it and whenever.
 */
export async function appendPart(
  storage: StoragePort,
  viewer: Viewer,
  part: Part,
  { runId, signal }: { runId: string; signal: AbortSignal },
) {
  const { path, mimeType, content, offset } = part;
  const idempotencyKey = `${runId}:append:${path.replaceAll('\0', '')}`;
  const known = await storage.findWritten(viewer, idempotencyKey);
  const before = known ? await bytesOf(known) : Buffer.alloc(0);
  const at = offset ?? (known ? null : 0);
  if (at === null) throw misplaced(before);
  const end = at + content.length;
  // It was written before, by a worker that was lost behind it.
  if (known && end <= before.length && before.subarray(at, end).equals(content)) return known;
  if (at !== before.length) throw misplaced(before);
  if (end > MAX_APPENDED_BYTES)
    throw new ToolError(
      'file_too_large',
      `A file that is written in parts may have at most ${MAX_APPENDED_BYTES} bytes.`,
      false,
    );
  const whole = Buffer.concat([before, content]);
  return storage.write(viewer, { name: path, mimeType, content: whole, idempotencyKey, runId }, signal);
}

async function bytesOf(file: WrittenFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function misplaced(before: Buffer): ToolError {
  const end = before.subarray(-60).toString('utf8');
  const state =
    before.length === 0
      ? 'The file is not begun'
      : `The file has ${before.length} bytes and ends with ${JSON.stringify(end)}`;
  return new ToolError('invalid_params', `offset: ${state}. Give the next part with offset ${before.length}.`, false);
}

import {
  param,
  type ReadableFile,
  type StoragePort,
  type StoredFile,
  type ToolContext,
  ToolError,
  type ToolPorts,
} from '@app/workflow-definition';
import { z } from 'zod';

export const STORAGE_UNAVAILABLE = 'File storage is not available.';

/** A file as the output of a node. */
export const fileSchema = z.object({
  media_path: z.string(),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
});

export const fileParam = param(z.string().trim().min(1).max(8_000), {
  label: 'File',
  type: 'file',
  description: 'The uid of a document, a media path, or the path of a written file.',
});

export function toFileOutput({ mediaPath, name, mimeType, sizeBytes }: StoredFile): z.output<typeof fileSchema> {
  return { media_path: mediaPath, filename: name, mime_type: mimeType, size_bytes: sizeBytes };
}

export function storageUnavailable({ storage }: { readonly storage?: unknown }): string | null {
  return storage ? null : STORAGE_UNAVAILABLE;
}

export function requireStorage({ storage }: ToolPorts): StoragePort {
  if (!storage) throw new ToolError('storage_unavailable', STORAGE_UNAVAILABLE, false);
  return storage;
}

export function requireFile(context: ToolContext, file: string): Promise<ReadableFile> {
  if (file === '') throw new ToolError('invalid_params', 'file: This field is required.', false);
  return requireStorage(context).find(context.viewer, file);
}

/** The bytes of a file. @throws ToolError `file_too_large` */
export async function readBytes(file: ReadableFile, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new ToolError('file_too_large', `The file is larger than ${maxBytes} bytes.`, false);
  if (file.sizeBytes > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.open()) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

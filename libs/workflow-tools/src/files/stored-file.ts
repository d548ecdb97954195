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

const MAX_NAME = 8_000;
/** The names of a file in the outputs of nodes, best first. */
const FILE_KEYS = ['media_path', 'document_uid', 'uid'];
const DOCUMENT_KEYS = ['document_uid', 'uid'];

/** A file by name, or as an earlier node put it out: written, fetched, listed or called with. */
export const namedFile = (name: z.ZodString = z.string().min(1).max(MAX_NAME)) =>
  z.preprocess((value) => nameIn(value, FILE_KEYS), name);

/** A document of the library, in the same way. */
export const namedDocument = (name: z.ZodString = z.string()) =>
  z.preprocess((value) => nameIn(value, DOCUMENT_KEYS), name);

/** A list of them, or a single one. */
export const namedFiles = (most: number) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(namedFile()).max(most),
  );

export const fileParam = param(namedFile(z.string().trim().min(1).max(MAX_NAME)), {
  label: 'File',
  type: 'file',
  description: 'The uid of a document, a media path, the path of a written file, or a file of an earlier output.',
});

/** `{{_output.<node>}}` makes a text of an object; what holds no name stays as it is, and is refused as such. */
function nameIn(value: unknown, keys: readonly string[]): unknown {
  const given = typeof value === 'string' && /^\s*\{.*\}\s*$/s.test(value) ? objectIn(value) : value;
  if (!isObject(given)) return value;
  const { file } = given;
  // Answers of hosts have theirs in a field of its own, and only there.
  return (
    nameOf(given, keys) ?? (isObject(file) ? nameOf(file, keys) : typeof file === 'string' ? file : undefined) ?? value
  );
}

function nameOf(fields: Record<string, unknown>, keys: readonly string[]): unknown {
  return keys
    .map((key) => (Object.hasOwn(fields, key) ? fields[key] : ''))
    .find((name) => typeof name === 'string' && name !== '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

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

import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { fileParam, readBytes, requireFile, storageUnavailable } from './stored-file.js';

const MAX_BYTES = 10 * 1024 * 1024;

export const readFileTool = defineKind({
  kind: 'read_file',
  version: '1.0.0',
  title: 'Read a file',
  description: 'Gives the content of a document or a written file as text or Base64.',
  category: categories.files,
  icon: 'file-input',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    file: fileParam,
    encoding: param(z.enum(['auto', 'text', 'base64']).default('auto'), {
      label: 'As',
      description: 'Text, or the bytes in base64.',
      options: [
        { value: 'auto', label: 'Text if it is text' },
        { value: 'text', label: 'Text' },
        { value: 'base64', label: 'Base64' },
      ],
    }),
    max_bytes: param(
      z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_BYTES)
        .default(1024 * 1024),
      {
        label: 'Largest file, in bytes',
        description: 'A larger one fails the node.',
        type: 'integer',
      },
    ),
  }),
  output: z.object({
    text: z.string().nullable(),
    base64: z.string().nullable(),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
  }),
  examples: [{ file: 'reports/summary.txt' }],
  unavailableReason: storageUnavailable,
  run: async ({ file, encoding, max_bytes: maxBytes }, context) => {
    const found = await requireFile(context, file);
    await context.room?.(Math.min(found.sizeBytes, maxBytes));
    const bytes = await readBytes(found, maxBytes);
    const text = encoding === 'base64' ? null : decode(bytes, encoding === 'text');
    const base64 = text === null ? bytes.toString('base64') : null;
    const { name, mimeType } = found;
    return { output: { text, base64, filename: name, mime_type: mimeType, size_bytes: bytes.length } };
  },
});

/** Null for bytes that are no text, unless they are to be read as such whatever they are. */
function decode(bytes: Buffer, isForced: boolean): string | null {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  if (!isForced && encoding === 'utf-8' && bytes.includes(0)) return null;
  try {
    return new TextDecoder(encoding, { fatal: !isForced }).decode(bytes);
  } catch {
    return null;
  }
}

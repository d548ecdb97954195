import { cutText } from '@app/common';
import {
  type DocumentLibraryPort,
  type DocumentText,
  type ListedDocument,
  param,
  type ToolContext,
  ToolError,
  type ToolPorts,
  type ToolResult,
} from '@app/workflow-definition';
import { z } from 'zod';
import { namedFile } from './stored-file.js';

const UNAVAILABLE = 'There is no document store.';

export function libraryUnavailable({ library }: { readonly library?: unknown }): string | null {
  return library ? null : UNAVAILABLE;
}

export function requireLibrary({ library }: ToolPorts): DocumentLibraryPort {
  if (!library) throw new ToolError('documents_not_configured', UNAVAILABLE, false);
  return library;
}

export const documentSchema = z.object({
  document_uid: z.string(),
  filename: z.string(),
  folder: z.string(),
  media_path: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  state: z.string(),
  tags: z.array(z.string()),
  created_at: z.string(),
});

export function toDocumentOutput(document: ListedDocument): z.output<typeof documentSchema> {
  const { documentUid, mediaPath, mimeType, sizeBytes, createdAt, ...rest } = document;
  const wire = { document_uid: documentUid, media_path: mediaPath, mime_type: mimeType, size_bytes: sizeBytes };
  return { ...rest, ...wire, created_at: createdAt };
}

export const textParams = {
  document: param(namedFile(z.string().trim().min(1).max(2_000)), {
    label: 'Document',
    type: 'document',
    description: 'Its uid or its media path.',
  }),
  pages: param(z.string().max(200).default(''), {
    label: 'Pages',
    description: 'Such as 1-3, 7; all when empty.',
  }),
  max_characters: param(z.coerce.number().int().min(1).max(4_000_000).default(400_000), {
    label: 'At most this many characters',
    description: 'The rest is left out, and the output says so.',
    type: 'integer',
  }),
  wait_seconds: param(z.coerce.number().int().min(0).max(86_400).default(900), {
    label: 'Seconds to wait until it is read',
    description: 'Until when the indexer may take to read the file.',
    type: 'integer',
  }),
};

export const textSchema = z.object({
  text: z.string(),
  pages: z.array(z.object({ page: z.int(), text: z.string() })),
  page_count: z.int(),
  filename: z.string(),
  recognised: z.boolean(),
  truncated: z.boolean(),
});

interface TextParams {
  pages: string;
  max_characters: number;
  wait_seconds: number;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/** The text once the indexer has it; until then the node waits away from its worker. */
export function toTextResult(found: DocumentText, params: TextParams, context: ToolContext): ToolResult {
  if (found.state === 'failed') throw new ToolError('document_not_read', found.detail, false);
  if (found.state === 'working') {
    const now = context.now();
    const since = Number(context.resume?.data?.since ?? now);
    const left = since + params.wait_seconds * 1_000 - now;
    if (left <= 0) throw new ToolError('document_not_ready', `The document is not read yet: ${found.detail}`, true);
    const pause = Math.min(Math.max(FIRST_PAUSE_MS, (now - since) / 2), LONGEST_PAUSE_MS, Math.max(left, 250));
    return { wait: { reason: 'timer', until: now + pause, data: { since } } };
  }
  const wanted = readPageList(params.pages);
  const chosen = wanted === null ? found.pages : found.pages.filter(({ page }) => wanted(page));
  const pages: { page: number; text: string }[] = [];
  let room = params.max_characters;
  for (const { page, text } of chosen) {
    if (room <= 0) break;
    pages.push({ page, text: cutText(text, room) });
    room -= text.length;
  }
  return {
    output: {
      text: pages.map(({ text }) => text).join('\n\n'),
      pages,
      page_count: found.pages.at(-1)?.page ?? 0,
      filename: found.filename,
      recognised: found.ocr,
      truncated: room < 0,
    },
  };
}

/** `1-3, 7` as a condition; null for all. @throws ToolError */
function readPageList(text: string): ((page: number) => boolean) | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) return null;
  const ranges = parts.map((part) => {
    const [, first, last] = /^(\d{1,6})(?:\s*-\s*(\d{1,6}))?$/.exec(part) ?? [];
    if (first === undefined) throw new ToolError('invalid_params', 'pages: Write them like 1-3, 7.', false);
    return { first: Number(first), last: Number(last ?? first) };
  });
  return (page) => ranges.some(({ first, last }) => page >= first && page <= last);
}

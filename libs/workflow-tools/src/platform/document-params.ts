import { type DocumentsPort, param, type PassageHit, ToolError, type ToolPorts } from '@app/workflow-definition';
import { z } from 'zod';
import { namedDocument } from '../files/stored-file.js';

/** Which documents a node works on. */
export const documentScopeParams = {
  document_uids: param(z.array(namedDocument()).max(500).default([]), {
    label: 'Documents',
    type: 'document',
    description: 'Only these; everything that you may read when empty.',
  }),
  folder: param(z.string().max(500).default(''), { label: 'Folder', description: 'Only this folder and those in it.' }),
  tags: param(z.array(z.string().max(200)).max(50).default([]), {
    label: 'Tags',
    description: 'Only documents of your own that have all of these tags; any when empty.',
  }),
  limit: param(z.coerce.number().int().min(1).max(50).default(8), {
    label: 'Passages',
    type: 'integer',
    description: 'At most this many passages.',
  }),
};

export const passageSchema = z.object({
  document_uid: z.string(),
  filename: z.string(),
  page: z.int().nullable(),
  text: z.string(),
  score: z.number(),
});

export function toScope(params: { document_uids: string[]; folder: string; tags: string[]; limit: number }) {
  return {
    limit: params.limit,
    ...(params.document_uids.length > 0 && { documentUids: params.document_uids }),
    ...(params.folder !== '' && { folder: params.folder }),
    ...(params.tags.length > 0 && { tags: params.tags }),
  };
}

export function toPassage(hit: PassageHit): z.output<typeof passageSchema> {
  const { documentUid, filename, page, text, score } = hit;
  return { document_uid: documentUid, filename, page, text, score };
}

export function documentsUnavailable({ documents }: ToolPorts): string | null {
  return documents ? null : 'Document search is not configured.';
}

export function requireDocuments({ documents }: ToolPorts): DocumentsPort {
  if (!documents) throw new ToolError('documents_not_configured', 'Document search is not configured.', false);
  return documents;
}

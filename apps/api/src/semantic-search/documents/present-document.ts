import type { DocumentReader, DocumentRecord } from '@app/documents';
import { type DocumentResponse, toDocumentResponse } from './document.dto.js';

/** As the viewer, who may see it, is told of it. */
export async function presentDocument(
  reader: DocumentReader,
  document: DocumentRecord,
  viewerId: number,
): Promise<DocumentResponse> {
  const positions = await reader.queuePositions([document]);
  return toDocumentResponse(document, viewerId, positions.get(document.uid) ?? null);
}

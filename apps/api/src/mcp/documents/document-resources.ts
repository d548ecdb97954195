import { isUuid, NotFoundError } from '@app/common';
import { ReadableDocuments } from '@app/documents';
import type { ListResourcesResult, ReadResourceResult, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { DocumentPages } from './document-pages.js';

const PAGE = 100;
const ADDRESS = /^atrium:\/\/documents\/([0-9a-f-]{36})(?:\/pages\/([1-9]\d{0,5}))?$/;

export const DOCUMENT_TEMPLATES: ResourceTemplate[] = [
  {
    name: 'document',
    title: 'Document',
    uriTemplate: 'atrium://documents/{uid}',
    description: 'The text of a document from its beginning, at most 60,000 characters.',
    mimeType: 'text/plain',
  },
  {
    name: 'document-page',
    title: 'Page of a document',
    uriTemplate: 'atrium://documents/{uid}/pages/{page}',
    description: 'The text of a document from a page on, at most 60,000 characters.',
    mimeType: 'text/plain',
  },
];

/** The documents that the viewer may read, as MCP resources. */
@Injectable()
export class DocumentResources {
  constructor(
    private readonly documents: ReadableDocuments,
    private readonly pages: DocumentPages,
  ) {}

  /** @throws InvalidRequestError (`invalid_cursor`) */
  async list(viewerId: number, cursor: string | undefined): Promise<ListResourcesResult> {
    const { documents, nextCursor } = await this.documents.list(viewerId, {}, PAGE, cursor);
    return {
      resources: documents.map(({ uid, filename, folder, mime_type: type, size_bytes: size }) => ({
        uri: `atrium://documents/${uid}`,
        name: filename,
        title: folder === '' ? filename : `${folder}/${filename}`,
        description: `Text of a file of type ${type}.`,
        mimeType: 'text/plain',
        size,
      })),
      ...(nextCursor === null ? {} : { nextCursor }),
    };
  }

  /** @throws NotFoundError */
  async read(viewerId: number, uri: string): Promise<ReadResourceResult> {
    const [, uid = '', page = '1'] = ADDRESS.exec(uri) ?? [];
    if (!isUuid(uid)) throw new NotFoundError('Resource not found.', { code: 'resource_not_found' });
    await this.documents.get(viewerId, uid);
    const { pages, next } = await this.pages.read(uid, Number(page), 0);
    const text = pages.map((one) => one.text).join('\n\n');
    const meta = next ? { 'atrium/next': `atrium://documents/${uid}/pages/${next.page}` } : {};
    return { contents: [{ uri, mimeType: 'text/plain', text, _meta: meta }] };
  }
}

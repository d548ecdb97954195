import type { ReadAttachment, SecureAttachment } from '@app/agents';
import { isUuid } from '@app/common';
import { findDocumentUidInPath } from '@app/documents';
import { FileStorage, type ModelDescriptor } from '@app/integrations';
import { findDocumentPages } from '@app/retrieval';
import { ToolError } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ReadableFiles, type FoundFile } from '../ports/readable-files.js';

/** What endpoints take. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const PDF = 'application/pdf';
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;
const TEXT_TYPE = /^(text\/|application\/(json|xml|x-ndjson|yaml|sql))/;

/** The files that came with a message, read with the rights that the asker has now. */
@Injectable()
export class SecureTurnAttachments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly files: ReadableFiles,
    private readonly storage: FileStorage,
  ) {}

  async read(
    userId: number,
    attachments: readonly SecureAttachment[],
    model: ModelDescriptor,
  ): Promise<ReadAttachment[]> {
    const read: ReadAttachment[] = [];
    for (const attachment of attachments) read.push(await this.readOne(userId, attachment, model));
    return read;
  }

  private async readOne(
    userId: number,
    { file, name }: SecureAttachment,
    model: ModelDescriptor,
  ): Promise<ReadAttachment> {
    const found = await this.files.find({ userId }, file).catch((error: unknown) => {
      if (error instanceof ToolError) return null;
      throw error;
    });
    if (!found) return { name, kind: 'unreadable', reason: 'It is not there any more.' };
    const { mimeType } = found;
    if (IMAGE_TYPES.has(mimeType) && model.supports.images && found.sizeBytes <= MAX_IMAGE_BYTES)
      return { name, kind: 'image', image: { mediaType: mimeType, data: await this.bytes(found, MAX_IMAGE_BYTES) } };
    const pages = await this.pagesOf(file);
    if (pages) return { name, kind: 'text', pages, pageCount: pages.at(-1)!.page };
    if (TEXT_TYPE.test(mimeType)) {
      const text = new TextDecoder().decode(await this.bytes(found, MAX_TEXT_BYTES));
      return { name, kind: 'text', pages: [{ page: 1, text }], pageCount: 1 };
    }
    // What has a text is read as such: it is cheaper, and can be cited by its page.
    if (mimeType === PDF && model.supports.documents && found.sizeBytes <= MAX_IMAGE_BYTES)
      return { name, kind: 'image', image: { mediaType: PDF, data: await this.bytes(found, MAX_IMAGE_BYTES) } };
    const reason = mimeType.startsWith('image/') ? 'This model cannot see it.' : 'It has no text.';
    return { name, kind: 'unreadable', reason };
  }

  private async pagesOf(file: string): Promise<{ page: number; text: string }[] | null> {
    const uid = findDocumentUidInPath(file.split('?')[0]!) ?? (isUuid(file) ? file : null);
    return uid === null ? null : findDocumentPages(this.dataSource, uid);
  }

  private async bytes({ storageKey }: FoundFile, most: number): Promise<Uint8Array> {
    const { stream } = await this.storage.open(storageKey, { start: 0, end: most - 1 });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
}

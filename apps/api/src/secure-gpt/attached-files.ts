import type { SecureAttachment } from '@app/agents';
import { InvalidRequestError, isUuid, NotFoundError } from '@app/common';
import { findDocumentUidInPath, findVisibleFile } from '@app/documents';
import { requireAskable } from '@app/retrieval';
import { findTableFile, findTabularUidInPath } from '@app/tabular';
import { findOwnWrittenFile } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AttachedFile } from './secure-chat.dto.js';

interface Found {
  name: string;
  /** A document whose text is what a model reads of it. */
  isText: boolean;
}

/** Files that come with a message: whether the viewer may read them, and whether they can be read yet. */
@Injectable()
export class AttachedFiles {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @throws InvalidRequestError `invalid_attachment`, NotFoundError `attachment_not_found`, ConflictError
   * `document_not_ready` with `uids`
   */
  async resolve(userId: number, files: readonly AttachedFile[]): Promise<SecureAttachment[]> {
    const resolved: SecureAttachment[] = [];
    for (const { uid, path, name } of files) {
      const file = uid ?? path;
      if (file === undefined)
        throw new InvalidRequestError('Each attached file needs a uid or a path.', { code: 'invalid_attachment' });
      const found = await this.find(userId, file);
      if (!found) throw attachmentNotFound();
      const documentUid = documentUidOf(file);
      if (found.isText && documentUid) await requireAskable(this.dataSource, userId, [documentUid]);
      resolved.push({ file, name: name || found.name });
    }
    return resolved;
  }

  /** @throws NotFoundError `attachment_not_found` */
  async requireReadable(userId: number, files: readonly string[]): Promise<void> {
    for (const file of files) if (!(await this.find(userId, file))) throw attachmentNotFound();
  }

  private async find(userId: number, file: string): Promise<Found | null> {
    const path = withoutQuery(file);
    const written = /^\/?(?:media\/)?written\/([^/]+)\/[^/]+$/.exec(path)?.[1];
    const documentUid = documentUidOf(file);
    const document = documentUid && (await findVisibleFile(this.dataSource, userId, documentUid));
    if (document) return { name: lastOf(document.name), isText: !document.mimeType.startsWith('image/') };
    const tableUid = isUuid(path) ? path : findTabularUidInPath(path);
    const writtenId = isUuid(path) ? path : isUuid(written) ? written : null;
    const other =
      (tableUid && (await findTableFile(this.dataSource, userId, tableUid))) ||
      (await findOwnWrittenFile(this.dataSource, userId, writtenId, file));
    return other && { name: lastOf(other.name), isText: false };
  }
}

const lastOf = (path: string): string => path.split('/').at(-1)!;

function documentUidOf(file: string): string | null {
  const path = withoutQuery(file);
  return isUuid(path) ? path : findDocumentUidInPath(path);
}

function withoutQuery(file: string): string {
  return file.startsWith('/media/') ? file.split('?')[0]! : file;
}

const attachmentNotFound = () => new NotFoundError('Attached file not found.', { code: 'attachment_not_found' });

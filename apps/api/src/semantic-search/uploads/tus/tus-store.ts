import type { Readable } from 'node:stream';
import { EXPIRES_AFTER_SECONDS, ResumableFiles, ResumableUploads } from '@app/documents';
import { Injectable } from '@nestjs/common';
import { DataStore, ERRORS, Upload } from '@tus/server';

/** Our rows and files, as the protocol's library wants them. Its own file store keeps no owners and hides what failed. */
@Injectable()
export class TusStore extends DataStore {
  constructor(
    private readonly rows: ResumableUploads,
    private readonly files: ResumableFiles,
  ) {
    super();
    this.extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];
  }

  override async create(upload: Upload): Promise<Upload> {
    try {
      await this.files.create(upload.id);
    } catch (error) {
      await this.rows.remove(upload.id);
      throw error;
    }
    return upload;
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    if ((await this.files.sizeOf(id)) === null) throw ERRORS.FILE_NOT_FOUND;
    return this.files.append(id, stream, offset);
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.rows.find(id);
    // The file is gone once it has become a document.
    const offset = row?.state === 'stored' ? row.sizeBytes : await this.files.sizeOf(id);
    if (!row || offset === null) throw ERRORS.FILE_NOT_FOUND;
    const { sizeBytes: size, metadata, createdAt } = row;
    return new Upload({ id, size, offset, metadata, creation_date: createdAt.toISOString() });
  }

  override async remove(id: string): Promise<void> {
    await this.files.remove(id);
    await this.rows.remove(id);
  }

  /** Milliseconds after creation. */
  override getExpiration(): number {
    return EXPIRES_AFTER_SECONDS * 1000;
  }
}

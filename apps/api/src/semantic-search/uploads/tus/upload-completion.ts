import { NotFoundError } from '@app/common';
import {
  ResumableFiles,
  type ResumableUpload,
  ResumableUploads,
  sanitizeFilename,
  UPLOAD_SETTINGS,
  UploadLocks,
  UploadRejectedError,
  type UploadSettings,
} from '@app/documents';
import { StorageQuota } from '@app/entitlements';
import { Inject, Injectable } from '@nestjs/common';
import { UploadQuota } from '../../../uploads/upload-quota.js';
import { UploadsService } from '../uploads.service.js';
import { toUploadOptions } from './upload-metadata.js';

/** The last step: from a whole file to a document, as for every other upload. */
@Injectable()
export class UploadCompletion {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly rows: ResumableUploads,
    private readonly files: ResumableFiles,
    private readonly locks: UploadLocks,
    private readonly uploads: UploadsService,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * Makes the document of an upload whose bytes are all there, once, whoever asks and how often. What is broken off in
   * between is done by the next who asks, or by the sweeper.
   * @returns its uid; null when it was purged since
   * @throws UploadRejectedError, again for everybody who asks; UnavailableError when it may be asked again
   */
  async complete(id: string): Promise<string | null> {
    return this.locks.hold(id, async () => {
      const upload = await this.rows.find(id);
      if (!upload) throw new NotFoundError('Upload not found.', { code: 'upload_not_found' });
      if (upload.state === 'receiving') return this.store(upload);
      return outcomeOf(upload);
    });
  }

  private async store(upload: ResumableUpload): Promise<string> {
    const { id, ownerId, sizeBytes, metadata } = upload;
    try {
      const originalName = sanitizeFilename(metadata.filename ?? '');
      const sha256 = await this.files.sha256(id);
      const file = { path: this.files.pathOf(id), size: sizeBytes, sha256, originalName, isTooLarge: false };
      const reserved = UploadQuota.reserved(this.quota, ownerId, this.quota.reopen(id));
      const screened = await this.uploads.screen(file);
      const options = toUploadOptions(metadata, this.settings.ocrLanguages);
      const { document } = await this.uploads.keep(ownerId, screened, options, reserved, (row, tx) =>
        this.rows.markStored(id, row.uid, tx),
      );
      await this.tidy(id);
      return document.uid;
    } catch (error) {
      if (!(error instanceof UploadRejectedError)) throw error;
      await this.rows.markRefused(id, { code: error.code as 'upload_rejected', reasons: [...error.reasons] });
      await this.tidy(id);
      throw error;
    }
  }

  private async tidy(id: string): Promise<void> {
    await this.files.remove(id);
    await this.quota.reopen(id).release();
  }
}

/** @throws UploadRejectedError */
export function outcomeOf({ documentUid, refusal }: Pick<ResumableUpload, 'documentUid' | 'refusal'>): string | null {
  if (refusal) throw new UploadRejectedError(refusal.reasons, { code: refusal.code });
  return documentUid;
}

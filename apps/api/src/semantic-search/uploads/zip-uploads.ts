import {
  extensionOf,
  sanitizeFilename,
  UPLOAD_SETTINGS,
  UploadedZip,
  UploadRejectedError,
  type UploadSettings,
  ZipBudget,
  type ZipMember,
} from '@app/documents';
import { Inject, Injectable } from '@nestjs/common';
import { IncomingFiles } from '../../uploads/incoming-files.js';
import type { ReceivedFile } from '../../uploads/upload-receiver.js';

/** A file of an archive on its own way in, or why it is not. */
export interface UnpackedFile {
  /** Within the archive. */
  folder: string;
  file: ReceivedFile;
  refusal: UploadRejectedError | null;
}

/** A single upload makes one document. */
export const ZIP_WANTS_A_BATCH =
  'A ZIP archive becomes a document for each file in it. Upload it by POST /semantic-search/upload/batch/.';

export function isZip(filename: string): boolean {
  return extensionOf(sanitizeFilename(filename)) === 'zip';
}

/** Opens archives that come in, one file at a time: never is more of them in memory than a piece of one. */
@Injectable()
export class ZipUploads {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly incoming: IncomingFiles,
  ) {}

  /** What the archives of one request may hold together. */
  newBudget(): ZipBudget {
    return new ZipBudget(this.settings.archives);
  }

  /**
   * The files of an archive in its order, each under a name of our own on disk: the caller removes them.
   * @throws UploadRejectedError for the archive as a whole, before its first file
   */
  async *unpack(archive: ReceivedFile, budget: ZipBudget): AsyncGenerator<UnpackedFile> {
    const zip = await UploadedZip.open(archive.path, budget);
    try {
      for (const member of zip.members) yield await this.take(zip, member);
    } finally {
      zip.close();
    }
  }

  private async take(zip: UploadedZip, member: ZipMember): Promise<UnpackedFile> {
    const { folder, filename: originalName, refusal } = member;
    const nothing = { path: '', size: 0, sha256: '', originalName, isTooLarge: false };
    if (refusal !== null) return { folder, file: nothing, refusal: new UploadRejectedError([refusal]) };
    try {
      const written = await zip.unpack(member, (bytes) => this.incoming.write(bytes));
      return { folder, file: { ...written, originalName, isTooLarge: false }, refusal: null };
    } catch (error) {
      if (!(error instanceof UploadRejectedError)) throw error;
      return { folder, file: nothing, refusal: error };
    }
  }
}

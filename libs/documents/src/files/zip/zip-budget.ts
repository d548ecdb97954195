import { UploadRejectedError } from '../upload-rejected.error.js';

/** What archives that are uploaded together may hold. */
export interface ZipLimits {
  files: number;
  /** Of all files together, unpacked. */
  totalBytes: number;
  /** Of one file. */
  fileBytes: number;
  /** Unpacked to packed, of one file; looked at above `RATIO_FROM_BYTES`, small files may be very regular. */
  ratio: number;
}

export const RATIO_FROM_BYTES = 10 * 1024 * 1024;
const MB = 1024 * 1024;

/** What is left of the limits over the archives of one request. */
export class ZipBudget {
  private files = 0;
  private bytes = 0;

  constructor(readonly limits: ZipLimits) {}

  /** @throws UploadRejectedError when an archive of so many files, or so many bytes of them, is too much */
  take(files: number, bytes: number): void {
    if (this.files + files > this.limits.files)
      throw new UploadRejectedError([`The archive cannot be opened: at most ${this.limits.files} files are accepted.`]);
    if (this.bytes + bytes > this.limits.totalBytes)
      throw new UploadRejectedError([
        `The archive cannot be opened: its files would unpack to more than ${megabytes(this.limits.totalBytes)}.`,
      ]);
    this.files += files;
    this.bytes += bytes;
  }
}

/** In words for the uploader. */
export function megabytes(bytes: number): string {
  return bytes < MB ? `${bytes} bytes` : `${Math.floor(bytes / MB)} MB`;
}

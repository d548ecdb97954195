import { InvalidRequestError } from '@app/common';

/**
 * An upload was looked at and refused. `reasons` are whole sentences for the person who uploaded
 * (docs/contract/documents.md#uploads: `400 {detail, reasons}`); they never hold paths or bytes of the file.
 * Its code is `upload_blocked` when the scan found something harmful.
 */
export class UploadRejectedError extends InvalidRequestError {
  constructor(
    readonly reasons: readonly string[],
    options: { code?: 'upload_rejected' | 'upload_blocked' | 'parse_error'; cause?: unknown } = {},
  ) {
    super(reasons.join(' '), { code: 'upload_rejected', ...options, extra: { reasons } });
  }
}

import { InvalidRequestError } from '@app/common';

/**
 * An upload was looked at and refused. `reasons` are whole sentences for the person who uploaded
 * (document 2 section 4.1: `400 {detail, reasons}`); they never hold paths or bytes of the file.
 */
export class UploadRejectedError extends InvalidRequestError {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join(' '), { code: 'upload_rejected', extra: { reasons } });
  }
}

import { UnavailableError } from '@app/common';

/** The storage cannot be asked now: the same call may succeed later. Its cause names no keys, addresses or secrets. */
export class StorageUnavailableError extends UnavailableError {
  constructor(reason: string) {
    super('Files cannot be stored or read at the moment. Try again later.', {
      code: 'storage_unavailable',
      cause: new Error(`The storage failed: ${reason}.`),
    });
  }
}

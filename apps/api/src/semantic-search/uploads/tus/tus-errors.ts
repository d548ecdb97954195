import {
  ConflictError,
  DomainError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  UnavailableError,
} from '@app/common';

/**
 * What the protocol's library answers or throws, as an error of ours; errors of ours and faults come back as they are.
 * Statuses are those of the protocol, so that its clients know whether to try again: 409 and 503 they repeat.
 */
export function fromTus(error: unknown): unknown {
  if (error instanceof DomainError || !isTusError(error)) return error;
  const message = error.body.trim();
  switch (error.status_code) {
    case 404:
    case 410:
      return new NotFoundError('Upload not found.', { code: 'upload_not_found' });
    case 409:
      return new ConflictError('Upload-Offset is not where this upload is.', { code: 'upload_offset_conflict' });
    case 413:
      return new PayloadTooLargeError('The file is larger than announced, or than is accepted.', {
        code: 'upload_too_large',
      });
    case 500:
      return new UnavailableError('The part could not be received.', { code: 'upload_interrupted', cause: error });
    default:
      return new InvalidRequestError(message, { code: 'invalid_tus_request' });
  }
}

function isTusError(error: unknown): error is { status_code: number; body: string } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'status_code' in error &&
    typeof error.status_code === 'number' &&
    'body' in error &&
    typeof error.body === 'string'
  );
}

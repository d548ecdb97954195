import { DomainError, NotFoundError } from '@app/common';

const SEGMENT = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/;
const MAX_SEGMENTS = 8;

/** A mistake in our own code: keys never come from clients. */
export class InvalidFileKeyError extends DomainError {
  constructor(key: string) {
    super(`Not a storage key: ${JSON.stringify(key.slice(0, 200))}.`, 'invalid_file_key');
  }
}

export class FileMissingError extends NotFoundError {
  constructor(key: string) {
    super('The file is missing from the storage.', { code: 'file_missing', cause: key });
  }
}

/** The segments of a key. @throws InvalidFileKeyError */
export function parseFileKey(key: string): string[] {
  const segments = key.split('/');
  if (segments.length > MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment) && !segment.includes('..')))
    throw new InvalidFileKeyError(key);
  return segments;
}

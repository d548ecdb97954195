import { FileMissingError } from './file-key.js';
import { StorageUnavailableError } from './storage-unavailable.error.js';

function textOf(error: unknown, key: 'name' | 'code'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = (error as Record<string, unknown>)[key];
  return typeof value === 'string' ? value : '';
}

/** Not of a missing bucket, which is a mistake of the configuration and says nothing about the file. */
export function isMissingObject(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes(textOf(error, 'name'));
}

export const isInvalidRange = (error: unknown) => textOf(error, 'name') === 'InvalidRange';

/** Errors of the service carry signatures, access keys and whatever it sent; only their name goes on. */
export function toStorageError(error: unknown, key: string): FileMissingError | StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error;
  if (isMissingObject(error)) return new FileMissingError(key);
  const names = [textOf(error, 'name'), textOf(error, 'code')].filter((name) => /^[\w.-]{1,60}$/.test(name));
  return new StorageUnavailableError(names.join(' ') || 'for an unknown reason');
}

import { InvalidRequestError } from '@app/common';

export function isTooLong(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.code === 'context_too_long';
}

import type { S3ServiceException } from '@aws-sdk/client-s3';
import { SourceError } from '../source-error.js';

const AUTH = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'ExpiredToken',
  'AuthorizationHeaderMalformed',
];
const THROTTLED = ['SlowDown', 'Throttling', 'ThrottlingException', 'RequestLimitExceeded', 'TooManyRequests'];

export function toS3Failure(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  const cause = error;
  const status = isOfService(error) ? error.$metadata.httpStatusCode : undefined;
  const name = error instanceof Error ? error.name : '';
  if (name === 'NoSuchBucket') return new SourceError('not_found', 'The bucket does not exist.', { cause });
  if (status === 404) return new SourceError('not_found', 'The object does not exist any more.', { cause });
  if (THROTTLED.includes(name) || status === 429 || status === 503)
    return new SourceError('throttled', 'The storage asks for patience.', { cause });
  if (AUTH.includes(name) || status === 401 || status === 403)
    return new SourceError('auth', 'The storage does not accept the access key, or the key may not read this.', {
      cause,
    });
  if (status !== undefined && status >= 300 && status < 400)
    return new SourceError('refused', 'The bucket lies in another region.', { cause });
  if (status === 400) return new SourceError('refused', 'The storage does not understand the request.', { cause });
  return new SourceError('unavailable', 'The storage cannot be reached or is out of order.', { cause });
}

/** By what it has: its class would be the whole library. */
function isOfService(error: unknown): error is S3ServiceException {
  return error instanceof Error && '$metadata' in error && typeof error.$metadata === 'object';
}

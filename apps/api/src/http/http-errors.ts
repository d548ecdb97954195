import {
  BadGatewayError,
  ConflictError,
  DomainError,
  type DomainErrorOptions,
  ForbiddenError,
  GatewayTimeoutError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from '@app/common';
import { UnsealableError } from '@app/secrets';
import { HttpException } from '@nestjs/common';

/** The body's type is none that the route reads: 415. */
export class UnsupportedMediaTypeError extends DomainError {
  constructor(mediaType: string, options: DomainErrorOptions = {}) {
    super(`Unsupported media type "${mediaType}" in request.`, 'unsupported_media_type', options);
  }
}

/** A body that takes too long: 408. */
export class RequestTimeoutError extends DomainError {
  constructor() {
    super('The request body did not arrive in time.', 'request_timeout');
  }
}

/** A form whose length is not said beforehand: 411. */
export class LengthRequiredError extends DomainError {
  constructor() {
    super('A form needs a Content-Length here.', 'length_required');
  }
}

/** A part that lies beyond the end: 416. */
export class RangeNotSatisfiableError extends DomainError {
  constructor() {
    super('The file has no such part.', 'range_not_satisfiable');
  }
}

/** The path exists, the method does not: 405. */
export class MethodNotAllowedError extends DomainError {
  constructor(
    method: string,
    readonly allowed: string[],
  ) {
    super(`Method "${method}" not allowed.`, 'method_not_allowed');
  }
}

const statuses: [new (...args: never[]) => DomainError, number][] = [
  [ValidationError, 400],
  [InvalidRequestError, 400],
  [UnauthenticatedError, 401],
  [PaymentRequiredError, 402],
  [ForbiddenError, 403],
  [NotFoundError, 404],
  [MethodNotAllowedError, 405],
  [RequestTimeoutError, 408],
  [ConflictError, 409],
  [LengthRequiredError, 411],
  [PayloadTooLargeError, 413],
  [UnsupportedMediaTypeError, 415],
  [RangeNotSatisfiableError, 416],
  [RateLimitedError, 429],
  [BadGatewayError, 502],
  [UnavailableError, 503],
  [GatewayTimeoutError, 504],
];

export function statusOf(error: DomainError): number {
  return statuses.find(([type]) => error instanceof type)?.[1] ?? 500;
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function isConnectionLost(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('message' in error)) return false;
  // Without a system call it is the client's own connection that broke.
  return CONNECTION_LOST.test(String(error.message)) || (codeOf(error) === 'ECONNRESET' && 'syscall' in error);
}

/** Values that Postgres refuses although validation let them pass: a number out of range, a text it cannot hold. */
const UNSTORABLE = new Set(['22001', '22003', '22007', '22008', '22021', '22P02', '22P05']);
/** Postgres is starting, stopping, full, out of connections, too slow, no longer the primary, or out of reach. */
const DATABASE_AWAY = new Set([
  '25006',
  '25P03',
  '53100',
  '53200',
  '53300',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** What the driver, its pool and TypeORM say without a code when a connection was lost, before or during a query. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Query runner already released|Client (has encountered a connection error|was closed))/;

/** The storage folder is full, read-only, out of reach or broken; a missing file is not among these. */
const STORAGE_AWAY = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOTDIR',
  'ESTALE',
]);

/**
 * What the framework, its parsers and the database driver throw, as an error of our own.
 * @returns null for a fault of ours, which is a 500
 */
export function asDomainError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  const code = codeOf(error);
  if (UNSTORABLE.has(code))
    return new InvalidRequestError('The request holds a value that cannot be stored.', {
      code: 'invalid_value',
      cause: error,
    });
  if (DATABASE_AWAY.has(code) || isConnectionLost(error))
    return new UnavailableError('The database cannot be reached. Try again shortly.', {
      code: 'database_unavailable',
      cause: error,
    });
  if (STORAGE_AWAY.has(code))
    return new UnavailableError('Files cannot be stored at the moment. Try again later.', {
      code: 'storage_unavailable',
      cause: error,
    });
  if (error instanceof UnsealableError)
    return new UnavailableError('A sealed value cannot be opened at the moment. Tell your operator.', {
      code: 'secret_unavailable',
      cause: error,
    });
  if (code.startsWith('LIMIT_')) return fromMulter(code, error);
  if (error instanceof HttpException) return fromFramework(error);
  // The router's own, of an address with `%` before what is no UTF-8.
  if (error instanceof URIError && (error as { status?: number }).status === 400)
    return new InvalidRequestError('The address cannot be read.', { code: 'parse_error', cause: error });
  return null;
}

function fromMulter(code: string, cause: unknown): DomainError {
  if (code === 'LIMIT_FILE_SIZE' || code === 'LIMIT_FIELD_VALUE')
    return new PayloadTooLargeError('The request body is too large.', { cause });
  return new InvalidRequestError(
    code === 'LIMIT_UNEXPECTED_FILE' ? 'This request takes no such file.' : 'The form has too many parts.',
    { code: 'parse_error', cause },
  );
}

function fromFramework(error: HttpException): DomainError | null {
  const cause = error.cause ?? error;
  switch (error.getStatus()) {
    case 400:
      return new InvalidRequestError('The request cannot be read.', { code: 'parse_error', cause });
    case 401:
      return new UnauthenticatedError();
    case 403:
      return new ForbiddenError();
    case 404:
      return new NotFoundError();
    case 413:
      return new PayloadTooLargeError('The request body is too large.', { cause });
    case 415:
      return new InvalidRequestError('The encoding of the request body is not supported.', {
        code: 'unsupported_encoding',
        cause,
      });
    case 503:
      return new UnavailableError('The service is not available.', { cause });
    default:
      return null;
  }
}

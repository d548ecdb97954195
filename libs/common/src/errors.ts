/** Messages per field, in the order in which they were found; the key `non_field_errors` holds those of the whole body. */
export type FieldErrors = Record<string, string[]>;

export interface DomainErrorOptions {
  /** Stable snake_case code that clients may switch on (docs/contract/conventions.md#errors). */
  code?: string;
  /** Further fields of the error body, in wire names. */
  extra?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * The root of every error that a rule of the product throws. It knows nothing of HTTP: one filter of the api
 * maps the class to a status, and the route says which body shape its clients read.
 */
export abstract class DomainError extends Error {
  readonly code: string;
  readonly extra: Record<string, unknown>;

  constructor(message: string, defaultCode: string, options: DomainErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code ?? defaultCode;
    this.extra = options.extra ?? {};
  }
}

/**
 * What somebody outside the product did wrong or could not do, as the log has it: an expected outcome and no fault of ours.
 */
export abstract class OutsideFault extends Error {
  /** For operators: what kind of failure it is. */
  abstract readonly code: string;
}

/** A body whose fields are wrong: 400 with one key per field (docs/contract/conventions.md#errors). */
export class ValidationError extends DomainError {
  constructor(
    readonly fields: FieldErrors,
    options: DomainErrorOptions = {},
  ) {
    super(Object.values(fields).flat().join(' ') || 'Invalid input.', 'invalid', options);
  }
}

/** A request that cannot be carried out as it stands: 400 with one message. */
export class InvalidRequestError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'invalid_request', options);
  }
}

/** Nobody is signed in, or the credential is not valid: 401. */
export class UnauthenticatedError extends DomainError {
  constructor(message = 'Authentication credentials were not provided.', options: DomainErrorOptions = {}) {
    super(message, 'not_authenticated', options);
  }
}

/** What was paid for has run out: 402. */
export class PaymentRequiredError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'payment_required', options);
  }
}

/** Signed in, but not allowed: 403. */
export class ForbiddenError extends DomainError {
  constructor(message = 'You do not have permission to perform this action.', options: DomainErrorOptions = {}) {
    super(message, 'permission_denied', options);
  }
}

/** It does not exist, or the viewer may not know that it does: 404. */
export class NotFoundError extends DomainError {
  constructor(message = 'Not found.', options: DomainErrorOptions = {}) {
    super(message, 'not_found', options);
  }
}

/** It clashes with the present state: 409. */
export class ConflictError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'conflict', options);
  }
}

/** More bytes than are taken here: 413. */
export class PayloadTooLargeError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'payload_too_large', options);
  }
}

/** Too many calls: 429 with `Retry-After`. */
export class RateLimitedError extends DomainError {
  constructor(
    message: string,
    /** Whole seconds until the next call may succeed. */
    readonly retryAfterSeconds: number,
    options: DomainErrorOptions = {},
  ) {
    super(message, 'throttled', options);
  }
}

/** A service behind this one answered wrongly: 502. */
export class BadGatewayError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'bad_gateway', options);
  }
}

/** A service that this needs is down, or not configured: 503. */
export class UnavailableError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'unavailable', options);
  }
}

/** A service behind this one did not answer in time: 504. */
export class GatewayTimeoutError extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super(message, 'gateway_timeout', options);
  }
}

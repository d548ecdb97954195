import { BadGatewayError, GatewayTimeoutError, UnavailableError } from '@app/common';

/**
 * For what a search throws. No encoder, an encoder that is down, or a database that gives up: to a client the index is
 * what is missing. @throws UnavailableError `index_unavailable` for those, and anything else as it is
 */
export function toIndexUnavailable(error: unknown): never {
  const away = [UnavailableError, BadGatewayError, GatewayTimeoutError].some((type) => error instanceof type);
  const cancelled = error instanceof Error && 'code' in error && error.code === '57014';
  if (away || cancelled) throw indexUnavailable(error);
  throw error;
}

export function indexUnavailable(cause?: unknown): UnavailableError {
  return new UnavailableError('Search is not available in this mode now.', { code: 'index_unavailable', cause });
}

import { BadGatewayError, type DomainError, GatewayTimeoutError, UnavailableError } from '@app/common';
import { SourceFailure } from '@app/data-sources';

/** @throws what the failure of a database is to a client: 502, 504 when it was slow, 503 when the caller has too many at work */
export function throwAsDomainError(error: unknown): never {
  throw error instanceof SourceFailure ? toDomainError(error) : error;
}

function toDomainError({ code, message }: SourceFailure): DomainError {
  if (code === 'query_timeout') return new GatewayTimeoutError(message, { code });
  if (code === 'source_busy') return new UnavailableError(message, { code });
  return new BadGatewayError(message, { code });
}

import { BadGatewayError, DomainError, InvalidRequestError } from '@app/common';
import { ClientError } from 'openid-client';
import { ProviderAnswerError, ProviderRefusedError } from './provider-fetch.js';

/** What the discovery document says is not usable: a fault of the provider before any token. */
const BROKEN_METADATA = new Set([
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
]);

function* chainOf(error: unknown): Generator<Error> {
  let current = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    yield current;
    current = current.cause;
  }
}

/** Names, codes and messages only: the causes of `openid-client` hold whole answers, with tokens. */
export function describeFault(error: unknown): string {
  const parts = [...chainOf(error)].map((link) => {
    const { code } = link as { code?: unknown };
    return typeof code === 'string' ? `${link.message} (${code})` : link.message;
  });
  return parts.join(': ') || 'unknown fault';
}

export function providerUnreachable(issuer: string, error: unknown): BadGatewayError {
  return new BadGatewayError('The sign-in provider cannot be reached or does not answer as it should. Try again.', {
    code: 'provider_unreachable',
    cause: new Error(`${issuer}: ${describeFault(error)}`),
  });
}

function exchangeRejected(reason: string): InvalidRequestError {
  return new InvalidRequestError('The sign-in provider rejected the code. Start the sign-in again.', {
    code: 'exchange_rejected',
    cause: new Error(reason),
  });
}

/** @param reason for the log, without anything that the provider told */
export function invalidIdToken(reason?: string): InvalidRequestError {
  return new InvalidRequestError('The answer of the sign-in provider is not valid.', {
    code: 'invalid_id_token',
    cause: new Error(reason),
  });
}

/** What an exchange of a code failed with, as docs/contract/accounts.md#single-sign-on calls it. */
export function asExchangeError(issuer: string, error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const links = [...chainOf(error)];
  if (links.some((link) => link instanceof ProviderRefusedError)) return exchangeRejected(describeFault(error));
  if (links.some((link) => link instanceof ProviderAnswerError)) return providerUnreachable(issuer, error);
  if (!(error instanceof ClientError) || BROKEN_METADATA.has(error.code ?? ''))
    return providerUnreachable(issuer, error);
  return invalidIdToken(describeFault(error));
}

/** Whether the discovery document names another issuer than the one that was asked. */
export function isIssuerMismatch(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
}

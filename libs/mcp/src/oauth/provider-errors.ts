import { EgressError } from '@app/integrations';
import { ResponseBodyError } from 'oauth4webapi';

const CODE = /^[\w.-]{1,60}$/;

/** The provider answered in the words of OAuth: no. */
export class ProviderRefusedError extends Error {
  constructor(
    /** Such as `invalid_grant`; `unknown` for words of its own. */
    readonly reason: string,
  ) {
    super(`The sign-in provider refused: ${reason}.`);
    this.name = 'ProviderRefusedError';
  }

  /** Whether it refuses this deployment rather than the user's grant. */
  get isAboutClient(): boolean {
    return ['invalid_client', 'unauthorized_client', 'invalid_client_metadata'].includes(this.reason);
  }

  /** Whether the same may be granted a little later. */
  get isTemporary(): boolean {
    return ['temporarily_unavailable', 'server_error', 'slow_down', 'too_many_requests'].includes(this.reason);
  }
}

/**
 * What a call to a provider failed with, without anything that the provider wrote but its error code: what the library
 * throws holds whole answers, with tokens.
 */
export function toProviderError(error: unknown): ProviderRefusedError | EgressError {
  if (error instanceof EgressError || error instanceof ProviderRefusedError) return error;
  if (error instanceof ResponseBodyError)
    return new ProviderRefusedError(CODE.test(error.error) ? error.error : 'unknown');
  const { name } = error as { name?: string };
  if (name === 'TimeoutError' || name === 'AbortError')
    return new EgressError('timeout', 'The sign-in provider did not answer in time.');
  return new EgressError('protocol', 'The sign-in provider answers what no provider may.');
}

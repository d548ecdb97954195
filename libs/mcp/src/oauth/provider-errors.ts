import { OutsideFault } from '@app/common';
import { EgressError } from '@app/integrations';
import { ResponseBodyError } from 'oauth4webapi';

/** Of OAuth and its extensions, and some that are widespread. Other words of a provider might hold what is secret. */
const CODES = new Set([
  'access_denied',
  'bad_refresh_token',
  'bad_verification_code',
  'consent_required',
  'expired_token',
  'incorrect_client_credentials',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'too_many_requests',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'unsupported_token_type',
  'use_dpop_nonce',
]);

const ABOUT_CLIENT = [
  'invalid_client',
  'unauthorized_client',
  'invalid_client_metadata',
  'incorrect_client_credentials',
];

export const BUSY = 'The sign-in provider cannot help at the moment.';

/** The provider answered in the words of OAuth: no. */
export class ProviderRefusedError extends OutsideFault {
  readonly code = 'provider_refused';

  constructor(
    /** Such as `invalid_grant`; `unknown` for words of its own. */
    readonly reason: string,
  ) {
    super(`The sign-in provider refused: ${reason}.`);
    this.name = 'ProviderRefusedError';
  }

  /** Whether it refuses this deployment rather than the user's grant. */
  get isAboutClient(): boolean {
    return ABOUT_CLIENT.includes(this.reason);
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
    return new ProviderRefusedError(CODES.has(error.error) ? error.error : 'unknown');
  const { name } = error as { name?: string };
  if (name === 'TimeoutError' || name === 'AbortError')
    return new EgressError('timeout', 'The sign-in provider did not answer in time.');
  return new EgressError('protocol', 'The sign-in provider answers what no provider may.');
}

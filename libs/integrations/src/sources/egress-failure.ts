import { EgressError } from '../guarded-fetch/egress-error.js';
import { SourceError } from './source-error.js';

/** What a failed call is to the one whose source it is; what is no `EgressError` stays. */
export function toSourceError(error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  const isFinal = error.failure === 'blocked' || error.failure === 'too_large';
  return new SourceError(isFinal ? 'refused' : 'unavailable', error.message, { cause: error });
}

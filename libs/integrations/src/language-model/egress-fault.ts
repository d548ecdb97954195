import { types } from 'node:util';
import { EgressError } from '../guarded-fetch/egress-error.js';

/** The refusal or failure of the guarded way out that stands behind an error; null where there is none. */
export function egressErrorIn(error: unknown): EgressError | null {
  for (let at = error; types.isNativeError(at); at = at.cause) if (at instanceof EgressError) return at;
  return null;
}

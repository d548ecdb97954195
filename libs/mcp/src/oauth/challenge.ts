import { processRevocationResponse, type WWWAuthenticateChallenge, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { parseScopes } from './scopes.js';

const MAX_LENGTH = 8192;

/** What a server that refused a request says about the right to it (RFC 6750, RFC 9728). */
export interface Challenge {
  /** Such as `invalid_token` or `insufficient_scope`. */
  error: string | null;
  /** Null when it names none. */
  scopes: string[] | null;
  /** Where its metadata are, as it says: an address to be checked. */
  resourceMetadata: string | null;
}

const NOTHING: Challenge = { error: null, scopes: null, resourceMetadata: null };

/** The `Bearer` challenge of a `WWW-Authenticate` header; of several the one that says most. */
export async function parseChallenge(header: string | null): Promise<Challenge> {
  if (header === null || header.length > MAX_LENGTH) return NOTHING;
  const found = (await challengesOf(header)).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const [best] = found.sort((a, b) => Object.keys(b.parameters).length - Object.keys(a.parameters).length);
  const { error, scope, resource_metadata: resourceMetadata } = best?.parameters ?? {};
  return {
    error: error ?? null,
    scopes: scope === undefined ? null : parseScopes(scope),
    resourceMetadata: resourceMetadata ?? null,
  };
}

/** The library shows its parser of challenges only in what it throws about an answer, whatever the endpoint. */
async function challengesOf(header: string): Promise<WWWAuthenticateChallenge[]> {
  try {
    await processRevocationResponse(new Response(null, { status: 401, headers: { 'www-authenticate': header } }));
  } catch (error) {
    if (error instanceof WWWAuthenticateChallengeError) return error.cause;
  }
  return [];
}

import type { Principal } from './principal.js';

/** Answers "who is calling" for an access token. */
export abstract class PrincipalResolver {
  /** @returns null when the token is unknown, expired or revoked, or its account is deactivated. */
  abstract resolve(accessToken: string): Promise<Principal | null>;
}

import { BadGatewayError } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  fetchUserInfo,
} from 'openid-client';
import { type ProvenIdentity, readClaims } from './claims.js';
import {
  asExchangeError,
  describeFault,
  invalidIdToken,
  isIssuerMismatch,
  providerUnreachable,
} from './oidc-errors.js';
import { ProviderConfigurations, type RegisteredClient } from './provider-configurations.js';

/** An application and the page of the web app that its provider leads back to. */
export interface OidcApplication extends RegisteredClient {
  redirectUri: string;
}

/** What an exchange must bring back, made when the sign-in began. */
export interface FlowChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The code flow of OpenID Connect with PKCE, as a confidential client. */
@Injectable()
export class OidcClient {
  private readonly logger = new Logger(OidcClient.name);

  constructor(private readonly configurations: ProviderConfigurations) {}

  /**
   * Where the browser goes to sign in.
   * @param extra further parameters, such as `prompt`
   * @throws BadGatewayError `provider_unreachable`
   */
  async authorizationUrl(
    application: OidcApplication,
    checks: FlowChecks,
    extra: Record<string, string>,
  ): Promise<string> {
    try {
      const configuration = await this.configurations.of(application);
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: application.redirectUri,
        scope: 'openid email profile',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
        ...extra,
      });
      return url.href;
    } catch (error) {
      throw providerUnreachable(application.issuer, error);
    }
  }

  /**
   * Exchanges the code and checks the answer: signature, issuer, audience, nonce, times.
   * @param iss the parameter of RFC 9207, when the provider sent it
   * @throws InvalidRequestError `exchange_rejected` or `invalid_id_token`
   * @throws BadGatewayError `provider_unreachable`
   */
  async exchange(
    application: OidcApplication,
    checks: FlowChecks,
    { code, iss }: { code: string; iss?: string },
  ): Promise<{ identity: ProvenIdentity; idToken: string }> {
    try {
      const configuration = await this.configurations.of(application);
      const tokens = await authorizationCodeGrant(configuration, callbackUrl(application, checks, code, iss), {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims || !tokens.id_token) throw invalidIdToken('there is none');
      if (isOfTheFuture(claims)) throw invalidIdToken('it was issued in the future');
      const identity = readClaims(await withAddress(configuration, claims, tokens.access_token));
      return { identity, idToken: tokens.id_token };
    } catch (error) {
      throw this.asAnswer(application.issuer, error);
    }
  }

  private asAnswer(issuer: string, error: unknown): Error {
    const known = isIssuerMismatch(error)
      ? invalidIdToken('it calls itself another issuer')
      : asExchangeError(issuer, error);
    // Operators look for a wrong secret here; what is thrown as 5xx is logged anyway.
    if (!(known instanceof BadGatewayError))
      this.logger.warn(`${issuer}, ${known.code}: ${describeFault(known.cause)}`);
    return known;
  }
}

function callbackUrl({ redirectUri }: OidcApplication, { state }: FlowChecks, code: string, iss?: string): URL {
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({ code, state, ...(iss ? { iss } : {}) }).toString();
  return url;
}

type Claims = Record<string, unknown>;

const ADDRESS = ['email', 'email_verified', 'xms_edov'];

/**
 * Many providers tell the address, or whether it is verified, at the user info endpoint only: beside an access token
 * Okta's ID tokens hold the address alone.
 */
async function withAddress(
  configuration: Configuration,
  claims: Claims & { sub: string },
  accessToken: string,
): Promise<Claims> {
  if (saysWhetherVerified(claims) || !configuration.serverMetadata().userinfo_endpoint) return claims;
  try {
    const told: Claims = await fetchUserInfo(configuration, accessToken, claims.sub);
    const address = addressOf(addressOf(told)['email'] === undefined ? claims : told);
    return { ...claims, ...told, ...address, iss: claims['iss'], sub: claims.sub };
  } catch (error) {
    // Who is linked already needs no address that is verified.
    if (addressOf(claims)['email'] !== undefined) return claims;
    throw error;
  }
}

function saysWhetherVerified(claims: Claims): boolean {
  const { email, email_verified: verified, xms_edov: proved } = addressOf(claims);
  return email !== undefined && (verified !== undefined || proved !== undefined);
}

/** An address is verified by the words of the same answer alone. What is null is not said. */
function addressOf(claims: Claims): Claims {
  return Object.fromEntries(ADDRESS.map((name) => [name, claims[name] ?? undefined]));
}

/** By how many seconds the clock of a provider may be ahead of this machine's. */
const CLOCK_SKEW_SECONDS = 60;

/** `exp` is looked at by the protocol's library; what was issued, holds, or was signed in for only later is not. */
export function isOfTheFuture(
  claims: { iat?: unknown; nbf?: unknown; auth_time?: unknown },
  now = Date.now(),
): boolean {
  const latest = now / 1000 + CLOCK_SKEW_SECONDS;
  return [claims.iat, claims.nbf, claims.auth_time].some((time) => typeof time === 'number' && time > latest);
}

/** The part of a stored or tried server that decides what proves its user's right. */
export interface AuthorizedServer {
  /** Null: a configuration that is tried before it is saved. */
  readonly id: number | null;
  readonly userId: number;
  readonly url: string;
  readonly authType: 'none' | 'bearer' | 'header' | 'oauth';
  readonly authHeaderName: string;
  /** In clear, of `bearer` and `header`; null when there is none. */
  readonly secret: string | null;
}

/** What a server said when it refused, in a form that holds no secret. */
export interface Refusal {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header as it came; null when there was none. It is the server's text: judge it. */
  readonly challenge: string | null;
  /** The headers under which the refused request went, as `headersFor` gave them. */
  readonly usedHeaders: Readonly<Record<string, string>>;
}

/** The server wants its user to sign in (again). Its text may be shown to the user: it holds no secret and no address. */
export class SignInNeededError extends Error {
  constructor(message = 'The server asks you to sign in.') {
    super(message);
    this.name = 'SignInNeededError';
  }
}

/** Which headers prove a user's right at a server, and what to do when they no longer do. */
export abstract class McpAuthorization {
  /**
   * The headers of the next request, lower-case names. Asked before every request, so it must be quick while a token
   * is good; a token that is about to expire is renewed first.
   * @throws SignInNeededError
   */
  abstract headersFor(
    server: AuthorizedServer,
    options: { signal: AbortSignal },
  ): Promise<Readonly<Record<string, string>>>;

  /**
   * After a refusal: whether to try the request once more, with what `headersFor` gives then. Callers that were
   * refused with the same headers at the same time cause one renewal.
   * @throws SignInNeededError when only the user can help
   */
  abstract renew(server: AuthorizedServer, refusal: Refusal, options: { signal: AbortSignal }): Promise<boolean>;
}

/**
 * The tokens of servers whose `authType` is `oauth`. Bound to what libs/mcp/src/oauth makes of it; every method is safe
 * to be called by several processes at once.
 */
export abstract class McpOAuthTokens {
  /**
   * The access token for a stored server, renewed when it is about to expire. A refresh happens once, however many ask.
   * @throws SignInNeededError when there is none and none can be had without the user
   */
  abstract accessToken(
    server: { id: number; userId: number; url: string },
    options: { signal: AbortSignal },
  ): Promise<string>;

  /**
   * The server refused `accessToken`. A 401 renews it unless it was renewed meanwhile; a 403 `insufficient_scope`
   * notes the scopes that the next sign-in should ask for (step-up).
   * @returns whether another token is there to be tried
   * @throws SignInNeededError
   */
  abstract refused(
    server: { id: number; userId: number; url: string },
    refusal: { status: 401 | 403; challenge: string | null; accessToken: string },
    options: { signal: AbortSignal },
  ): Promise<boolean>;

  /**
   * Revokes the grant with its provider where that is possible, within 10 s, and erases it here. Never throws for
   * what the provider does. Called before a server is deleted, and when its url or auth_type changes.
   */
  abstract revoke(server: { id: number; userId: number }): Promise<void>;
}

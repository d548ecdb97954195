/** A refusal in the words of OAuth (RFC 6749, section 5.2), for the endpoints that programs call. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly code: string,
    message: string,
    readonly status: 400 | 401 | 403 = 400,
  ) {
    super(message);
  }
}

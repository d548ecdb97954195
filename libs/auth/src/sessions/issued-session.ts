import { UnauthenticatedError } from '@app/common';

/** What a client gets at sign-in and at each refresh. */
export interface IssuedSession {
  accessToken: string;
  refreshToken: string;
  /** Seconds. */
  expiresIn: number;
  /** Seconds until the session ends for good. */
  absoluteExpiresIn: number;
}

/** Where a sign-in came from, for the list of one's sessions. */
export interface SignInOrigin {
  ip: string;
  userAgent: string;
  method: 'password' | 'passkey' | 'sso_org' | 'sso_platform';
}

/** The refresh token is unknown, expired, revoked or used again too late: sign in again. */
export class RefreshRefusedError extends UnauthenticatedError {
  constructor(code: 'invalid_refresh_token' | 'max_session_lifetime_exceeded') {
    super(
      code === 'invalid_refresh_token'
        ? 'The refresh token is invalid or has expired.'
        : 'The session has reached its maximum lifetime. Sign in again.',
      { code },
    );
  }
}

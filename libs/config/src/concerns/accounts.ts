import { choice, flag, integer, list, optionalFlag, optionalText, text } from '../setting.js';

/** Who comes in, how often, and what seals their secrets. */
export const accountConcerns = {
  rateLimits: {
    enabled: flag('RATE_LIMITS', 'Whether rate limits are enforced', true),
    perUser: integer('RATE_LIMIT_PER_USER', 'Requests per minute of one signed-in user', 300, {
      min: 1,
      max: 10_000_000,
    }),
    perIp: integer('RATE_LIMIT_PER_IP', 'Anonymous requests per minute of one client address', 60, {
      min: 1,
      max: 10_000_000,
    }),
  },
  sessions: {
    accessTokenSeconds: integer('ACCESS_TOKEN_SECONDS', 'Lifetime of an access token, in seconds', 86_400, {
      min: 60,
      max: 7_776_000,
    }),
    absoluteSeconds: integer(
      'SESSION_ABSOLUTE_SECONDS',
      'Seconds after sign-in at which a session ends for good',
      7_776_000,
      { min: 60, max: 31_536_000 },
    ),
    refreshGraceSeconds: integer(
      'REFRESH_GRACE_SECONDS',
      'Seconds during which the previous refresh token still gives the same answer',
      30,
      { min: 0, max: 300 },
    ),
    emailVerification: flag(
      'EMAIL_VERIFICATION',
      'Whether only approved accounts with a confirmed address may sign in',
      false,
    ),
    hashesAtOnce: integer(
      'PASSWORD_HASHES_AT_ONCE',
      'Passwords that one api checks at a time: its cores at most, and two fewer than UV_THREADPOOL_SIZE (4 unless set)',
      2,
      { min: 1, max: 64 },
    ),
    bcryptCost: integer('BCRYPT_COST', 'Cost of the password hash, as the power of two', 11, { min: 4, max: 15 }),
  },
  deployment: {
    version: text('RELEASE_VERSION', 'Version that GET /version/ tells staff', '0.1.0'),
    commit: text('RELEASE_COMMIT', 'Commit that GET /version/ tells staff; set by whoever builds the image', 'unknown'),
    kind: choice(
      'DEPLOYMENT',
      "Whether strangers are served, or one customer on infrastructure of the customer's own",
      ['self_hosted', 'hosted'],
      'self_hosted',
    ),
  },
  sso: {
    orgIssuer: optionalText(
      'SSO_ORG_ISSUER',
      "OpenID Connect issuer at which organisations register their applications; an organisation's own goes before it",
    ),
    orgRedirectUri: optionalText(
      'SSO_ORG_REDIRECT_URI',
      "Page of the web app to which an organisation's provider leads back; <first of CORS_ORIGINS, or PUBLIC_URL>/auth/sso_org/callback when empty",
    ),
    platformIssuer: optionalText('SSO_PLATFORM_ISSUER', 'OpenID Connect issuer at which everybody may sign in'),
    platformClientId: optionalText('SSO_PLATFORM_CLIENT_ID', 'Client id at SSO_PLATFORM_ISSUER'),
    platformClientSecret: optionalText('SSO_PLATFORM_CLIENT_SECRET', 'Client secret at SSO_PLATFORM_ISSUER', {
      secret: true,
    }),
    platformRedirectUri: optionalText(
      'SSO_PLATFORM_REDIRECT_URI',
      'The same page for SSO_PLATFORM_ISSUER; <first of CORS_ORIGINS, or PUBLIC_URL>/auth/sso_platform/callback when empty',
    ),
    redirectPaths: list(
      'SSO_REDIRECT_PATHS',
      'Paths of the web app where a sign-in may go on, comma-separated; one that ends in * means all that begin so',
      '/',
    ),
    domainProof: optionalFlag(
      'SSO_DOMAIN_PROOF',
      'Whether an organisation must prove its e-mail domain by DNS; when empty, yes with DEPLOYMENT=hosted',
    ),
    allowHttp: flag('SSO_ALLOW_HTTP', 'Whether issuers may be plain http; for tests and closed networks', false),
  },
  webauthn: {
    rpId: optionalText(
      'WEBAUTHN_RP_ID',
      'Domain that passkeys belong to; the host of the first of CORS_ORIGINS, else of PUBLIC_URL, else localhost when empty. A passkey is lost with its domain, so set it to the domain above all pages, such as atrium.example',
    ),
    rpName: text('WEBAUTHN_RP_NAME', 'What browsers call this deployment when they ask for a passkey', 'Atrium'),
    origins: list(
      'WEBAUTHN_ORIGINS',
      'Origins of the pages that may use passkeys, comma-separated; those of CORS_ORIGINS and PUBLIC_URL within WEBAUTHN_RP_ID when empty. Browsers demand https, but for localhost',
    ),
  },
  accounts: {
    registration: choice(
      'REGISTRATION',
      'Whether people may register, or accounts come from single sign-on and SCIM alone',
      ['open', 'sso_only'],
      'open',
    ),
  },
  secrets: {
    key: text('SECRETS_KEY', 'Master key that seals secrets at rest: 32 bytes, base64', undefined, { secret: true }),
    previousKeys: list(
      'SECRETS_PREVIOUS_KEYS',
      'Earlier master keys, comma-separated: readable until everything is sealed under SECRETS_KEY',
      '',
      { secret: true },
    ),
  },
};

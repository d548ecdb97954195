import {
  address,
  choice,
  flag,
  integer,
  list,
  optionalAddress,
  optionalText,
  optionalWebAddress,
  text,
} from '../setting.js';

/** What the processes stand on and where they listen. */
export const servingConcerns = {
  database: {
    url: address(
      'DATABASE_URL',
      'Address of the Postgres database, with user and password',
      ['postgres://', 'postgresql://'],
      { secret: true },
    ),
    directUrl: optionalAddress(
      'DATABASE_DIRECT_URL',
      'The same database without a pooler in between, for migrations; DATABASE_URL when empty',
      ['postgres://', 'postgresql://'],
      { secret: true },
    ),
    poolSize: integer('DATABASE_POOL_SIZE', 'Connections that one process may open', 12, { min: 2, max: 200 }),
    connectTimeoutMs: integer(
      'DATABASE_CONNECT_TIMEOUT_MS',
      'Milliseconds that a request or a job waits for one of these connections before it is refused, with 503',
      5000,
      { min: 500, max: 600_000 },
    ),
    statementTimeoutMs: integer(
      'DATABASE_STATEMENT_TIMEOUT_MS',
      'Milliseconds after which a statement is cancelled; in the api after 8000 at the latest',
      30_000,
      { min: 1000, max: 600_000 },
    ),
  },
  redis: {
    url: address('REDIS_URL', 'Address of the Redis server, with password', ['redis://', 'rediss://'], {
      secret: true,
    }),
    keyPrefix: text(
      'REDIS_KEY_PREFIX',
      'Put before every key and channel, so that deployments can share a server',
      'atrium',
    ),
  },
  http: {
    host: text('API_HOST', 'Address on which the api listens', '0.0.0.0'),
    port: integer('API_PORT', 'Port on which the api listens', 3000, { min: 0, max: 65_535 }),
    publicUrl: optionalWebAddress(
      'PUBLIC_URL',
      'Address under which clients reach the api, such as https://atrium.example; http://localhost:<API_PORT> when empty',
    ),
    trustedProxies: integer(
      'TRUSTED_PROXY_HOPS',
      'Reverse proxies in front of the api whose X-Forwarded-For is believed',
      0,
      { min: 0, max: 10 },
    ),
    corsOrigins: list('CORS_ORIGINS', 'Origins of the SPA clients that browsers may call from, comma-separated'),
    corsLocalhost: flag(
      'CORS_LOCALHOST',
      'Whether pages of http://localhost on any port may call from browsers too, as under `npm start`; never in production',
      false,
    ),
    cookieSecure: flag(
      'COOKIE_SECURE',
      'Whether the refresh cookie is Secure and SameSite=None; off only for plain http trials in a browser',
      true,
    ),
    bodySeconds: integer(
      'BODY_TIMEOUT_SECONDS',
      'Within how many seconds a JSON or form body must have arrived, and how long an upload may stand still',
      30,
      { min: 1, max: 900 },
    ),
    describeAtStart: flag(
      'DESCRIBE_AT_START',
      'Whether the api makes its OpenAPI document before it listens; false: at the first request for it, which holds everything else up for a second or two. For tests and development',
      true,
    ),
    bodyLimitBytes: integer('BODY_LIMIT_BYTES', 'Largest JSON or form body, in bytes', 2_097_152, {
      min: 1024,
      max: 67_108_864,
    }),
    rowsBodyLimitBytes: integer(
      'ROWS_BODY_LIMIT_BYTES',
      'The same for calls that bring the rows of a whole table; never below `BODY_LIMIT_BYTES`',
      16_777_216,
      { min: 1024, max: 268_435_456 },
    ),
  },
  artifacts: {
    port: integer('ARTIFACT_PORT', 'Port on which the api serves pages, and nothing else', 3001, {
      min: 0,
      max: 65_535,
    }),
    origin: optionalText(
      'ARTIFACT_ORIGIN',
      'Origin under which browsers reach that port, such as https://pages.example; a `*` in it stands for the id of the artifact (https://*.pages.example). Never that of the api or of the web app. Without it: http://localhost:<ARTIFACT_PORT> for an api at 127.0.0.1, http://127.0.0.1:<ARTIFACT_PORT> for one at localhost; for one that is called by another name over http, that name with this port, unless PUBLIC_URL is set; else pages answer 503',
    ),
  },
  extractor: {
    kind: choice(
      'EXTRACTOR',
      'Who extracts tables from documents: jobs of the indexer (`embedded`), a service of its own (`http`), or nobody, in which case their routes answer 503',
      ['embedded', 'http', 'none'],
      'embedded',
    ),
    url: optionalWebAddress('EXTRACTOR_URL', 'Address of that service, with `EXTRACTOR=http`'),
    secret: optionalText('EXTRACTOR_SECRET', 'What it is called with, as a bearer token', { secret: true }),
    timeoutSeconds: integer('EXTRACTOR_TIMEOUT_SECONDS', 'Seconds within which it has to answer', 60, {
      min: 1,
      max: 600,
    }),
  },
};

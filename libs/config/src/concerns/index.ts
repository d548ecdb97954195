import { z } from 'zod';
import {
  address,
  choice,
  flag,
  integer,
  json,
  list,
  optionalAddress,
  optionalFlag,
  optionalDecimal,
  optionalInteger,
  optionalText,
  optionalWebAddress,
  text,
  webAddress,
} from '../setting.js';
import { billingConcerns } from './billing.js';
import { dedicatedAgentConcerns } from './dedicated-agents.js';

/** Every setting of every app, by concern. A setting that no line here names does not exist. */
export const concerns = {
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
  ...dedicatedAgentConcerns,
  ...billingConcerns,
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
  storage: {
    provider: choice(
      'STORAGE_PROVIDER',
      'Where uploaded and produced files lie: in a folder, or in a bucket that speaks the S3 protocol',
      ['local', 's3'],
      'local',
    ),
    folder: text('STORAGE_DIR', 'Folder in which files lie; with s3 only those on their way', '.data/files'),
    maxUploadBytes: integer('MAX_UPLOAD_BYTES', 'Largest single file that may be uploaded, in bytes', 104_857_600, {
      min: 1024,
      max: 10_737_418_240,
    }),
    quotaBytes: integer(
      'STORAGE_QUOTA_BYTES',
      'Bytes that one user may store where no plan says otherwise; 0 for as many as there is room for',
      53_687_091_200,
      { min: 0, max: 1_125_899_906_842_624 },
    ),
  },
  archives: {
    files: integer('ARCHIVE_MAX_FILES', 'Most files in the ZIP archives that are uploaded together', 1_000, {
      min: 1,
      max: 20_000,
    }),
    totalBytes: integer('ARCHIVE_MAX_BYTES', 'Most bytes to which they may unpack together', 2_147_483_648, {
      min: 1024,
      max: 107_374_182_400,
    }),
    ratio: integer('ARCHIVE_MAX_RATIO', 'How many times as large as it is packed a file in them may become', 100, {
      min: 2,
      max: 1_100,
    }),
  },
  s3: {
    endpoint: optionalText('S3_ENDPOINT', 'Address of the S3 service; that of AWS in S3_REGION when empty'),
    region: text('S3_REGION', 'Region of the bucket', 'us-east-1'),
    bucket: optionalText('S3_BUCKET', 'Bucket in which files lie'),
    accessKeyId: optionalText(
      'S3_ACCESS_KEY_ID',
      'Access key for the bucket; the role of the machine or container is used when empty',
    ),
    secretAccessKey: optionalText('S3_SECRET_ACCESS_KEY', 'Secret of that access key', { secret: true }),
    forcePathStyle: flag(
      'S3_FORCE_PATH_STYLE',
      'Whether the bucket is named in the path instead of the host name, as most services other than AWS want it',
      false,
    ),
    prefix: optionalText('S3_PREFIX', 'Put before every key, so that deployments can share a bucket, such as atrium/'),
  },
  antivirus: {
    provider: choice(
      'ANTIVIRUS',
      'Who looks for viruses in files that come in: nobody beyond the built-in checks, or ClamAV',
      ['off', 'clamd'],
      'off',
    ),
    host: text('CLAMD_HOST', 'Host of clamd', '127.0.0.1'),
    port: integer('CLAMD_PORT', 'TCP port of clamd', 3310, { min: 1, max: 65_535 }),
    socket: optionalText('CLAMD_SOCKET', 'Unix socket of clamd; goes before host and port'),
    timeoutSeconds: integer('CLAMD_TIMEOUT_SECONDS', 'Seconds that the scan of one file may take', 60, {
      min: 1,
      max: 600,
    }),
  },
  indexing: {
    concurrency: integer('INDEXER_CONCURRENCY', 'Documents that one indexer works on at a time', 2, {
      min: 1,
      max: 64,
    }),
    extractionTimeoutSeconds: integer(
      'EXTRACTION_TIMEOUT_SECONDS',
      'Seconds after which reading one document is given up',
      600,
      { min: 10, max: 7200 },
    ),
    reindexOld: choice(
      'REINDEX_OLD',
      'Which documents are read again in the background when a release reads files better than the one that indexed them: all, text (all but scans, whose pages take seconds each) or off',
      ['all', 'text', 'off'],
      'all',
    ),
    ocrLanguages: list(
      'OCR_LANGUAGES',
      'Languages in which text is recognised, the likeliest first; eng, ara, deu, fra and spa come along',
      'eng,ara,deu,fra,spa',
    ),
    ocrDataFolder: optionalText(
      'OCR_DATA_FOLDER',
      'Folder of the indexer with data of further languages (xyz.traineddata)',
    ),
    trashRetentionDays: integer('SEMANTIC_TRASH_RETENTION_DAYS', 'Days that a trashed document can be restored', 30, {
      min: 1,
      max: 3650,
    }),
  },
  tableQueries: {
    atOnce: integer(
      'TABLE_QUERIES_AT_ONCE',
      'Queries over table files that one api or workflow-runner runs at a time, each in a process',
      2,
      {
        min: 1,
        max: 32,
      },
    ),
    seconds: integer('TABLE_QUERY_SECONDS', 'Seconds after which a query over table files is ended', 30, {
      min: 1,
      max: 30,
    }),
    memoryMb: integer('TABLE_QUERY_MEMORY_MB', 'Megabytes that such a query may use; its process twice as many', 512, {
      min: 64,
      max: 65_536,
    }),
  },
  sources: {
    folders: list('SOURCE_FOLDERS', 'Folders of the server from which staff may import documents, comma-separated'),
    hosts: list(
      'SOURCE_HOSTS',
      'Hosts of the own network that external sources may call, as host or host:port, comma-separated; others must be public and speak https',
    ),
    maxRows: integer('SOURCE_MAX_ROWS', 'Rows that a table of an external source may have to be imported', 50_000, {
      min: 1,
      max: 1_000_000,
    }),
    graphUrl: webAddress('SHAREPOINT_GRAPH_URL', 'Address of Microsoft Graph', 'https://graph.microsoft.com/v1.0'),
    loginUrl: webAddress(
      'SHAREPOINT_LOGIN_URL',
      'Address at which Microsoft gives access tokens',
      'https://login.microsoftonline.com',
    ),
  },
  workflows: {
    concurrency: integer(
      'RUNNER_CONCURRENCY',
      'Workflow runs that one runner works on at a time, besides up to four times as many that take longer than two seconds',
      16,
      {
        min: 1,
        max: 512,
      },
    ),
    poolSize: integer(
      'RUNNER_DATABASE_POOL_SIZE',
      'Database connections that one workflow-runner may open, where DATABASE_POOL_SIZE is not smaller; with many more than the database has cores, webhook calls wait behind running workflows',
      4,
      { min: 2, max: 200 },
    ),
    trashRetentionDays: integer('WORKFLOW_TRASH_RETENTION_DAYS', 'Days that a trashed workflow can be restored', 30, {
      min: 1,
      max: 3650,
    }),
    revisionsKept: integer(
      'WORKFLOW_REVISIONS_KEPT',
      'Newest revisions of a workflow that are always kept; of older ones the last of each day stays, and what has a label, is published or was run',
      100,
      { min: 1, max: 100_000 },
    ),
    hosts: list(
      'WORKFLOW_HOSTS',
      'Hosts of the own network that workflows may call, as host or host:port, comma-separated; others must be public and speak https',
    ),
    mailsPerDay: integer(
      'WORKFLOW_MAILS_PER_DAY',
      'Mails that the workflows of one user may send in 24 hours, counted by recipient',
      500,
      { min: 0, max: 1_000_000 },
    ),
    historyDays: integer('WORKFLOW_HISTORY_DAYS', 'Days after its end that a run is kept', 90, { min: 1, max: 3650 }),
    historyRuns: integer('WORKFLOW_HISTORY_RUNS', 'Runs that are kept of one workflow, the newest of them', 10_000, {
      min: 1,
      max: 1_000_000,
    }),
    queueLimit: integer('WEBHOOK_QUEUE_LIMIT', 'Webhook requests that may wait per workflow', 10_000, {
      min: 1,
      max: 1_000_000,
    }),
    requestRetentionDays: integer(
      'WEBHOOK_REQUEST_RETENTION_DAYS',
      'Days after which a finished webhook request leaves the list of its workflow; its run stays',
      30,
      { min: 1, max: 3650 },
    ),
    webhookFiles: integer('WEBHOOK_FILES', 'Files that one webhook call may have fetched by their addresses', 20, {
      min: 0,
      max: 100,
    }),
  },
  turns: {
    atOnce: integer('TURNS_AT_ONCE', 'Turns of conversations that one runner works on at a time', 250, {
      min: 1,
      max: 5_000,
    }),
    timeoutSeconds: integer('TURN_TIMEOUT_SECONDS', 'Seconds that a turn of a conversation may work', 900, {
      min: 5,
      max: 86_400,
    }),
    waitSeconds: integer(
      'TURN_WAIT_SECONDS',
      'Seconds that a streamed chat waits for the first word of its answer, and a chat with tables for all of it; then it is 504 and the turn goes on',
      600,
      { min: 1, max: 86_400 },
    ),
    graceSeconds: integer(
      'TURN_GRACE_SECONDS',
      'Seconds that an answer goes on without anybody who follows it, where the client may come back: it asked for events, or named the call',
      60,
      { min: 0, max: 86_400 },
    ),
    sealedSeconds: integer(
      'SEALED_TURN_SECONDS',
      'Seconds after its end that an encrypted turn can be read again, sealed; then the server forgets what was said',
      300,
      { min: 0, max: 86_400 },
    ),
    eventHours: integer(
      'TURN_EVENT_HOURS',
      'Hours after its end that what was told of a turn is kept piece by piece; question, answer and sources stay',
      48,
      { min: 1, max: 8_760 },
    ),
    traceDays: integer(
      'TURN_TRACE_DAYS',
      'Days that what was said in the calls of a turn to models and tools is kept for its owner, sealed; 0: it is not. It needs COST_TRACKING',
      14,
      { min: 0, max: 3_650 },
    ),
    writesTitles: flag(
      'CHAT_TITLES',
      'Whether a language model names new conversations; otherwise the beginning of the first message is the title',
      true,
    ),
  },
  dedicatedAgents: {
    runDays: integer(
      'DEDICATED_AGENT_RUN_DAYS',
      'Days after its end that a run of a dedicated agent is kept, with everything that was told of it',
      90,
      { min: 1, max: 3_650 },
    ),
  },
  agents: {
    maxSteps: integer('AGENT_MAX_STEPS', 'Calls of the model that an agent may make in one turn', 40, {
      min: 1,
      max: 500,
    }),
    maxTokens: integer('AGENT_MAX_TOKENS', 'Tokens, read and written, that an agent may use in one turn', 2_000_000, {
      min: 1_000,
      max: 1_000_000_000,
    }),
    maxCostCents: integer(
      'AGENT_MAX_COST_CENTS',
      'What one turn of an agent may cost, in hundredths of the currency of the prices; 0 for no limit',
      0,
      { min: 0, max: 10_000_000 },
    ),
    approvals: choice(
      'AGENT_APPROVALS',
      'Whether agents ask their user before calls with effects outside, make them without a question, or have none',
      ['ask', 'allow', 'deny'],
      'ask',
    ),
    questionSeconds: integer(
      'AGENT_QUESTION_SECONDS',
      'Seconds that an agent waits for the reply to a question',
      86_400,
      {
        min: 10,
        max: 2_592_000,
      },
    ),
    resultCharacters: integer(
      'AGENT_RESULT_CHARACTERS',
      'Characters of one tool result that a model is shown; of longer ones it gets the beginning, and reads on in what is kept',
      20_000,
      { min: 1_000, max: 1_000_000 },
    ),
    shownTokens: integer(
      'AGENT_TOOL_TOKENS',
      'Tokens that the definitions of tools of connected servers may take of each prompt; with more, agents look for tools and are shown what they find',
      8_000,
      { min: 0, max: 1_000_000 },
    ),
    memoryTokens: integer(
      'AGENT_MEMORY_TOKENS',
      'Tokens that memories may take of the notes to a message: beside those that fit it, as many others as there is room for, each once in a conversation; 0 for those that fit alone',
      2_000,
      { min: 0, max: 100_000 },
    ),
    memoryEncoder: choice(
      'AGENT_MEMORY_ENCODER',
      'Who computes vectors of memories where EMBEDDINGS_PROVIDER is off: the small built-in encoder (English; 150 MB of the workflow-runner while it is at work), or nobody',
      ['builtin', 'off'],
      'builtin',
    ),
    resultHours: integer(
      'AGENT_RESULT_HOURS',
      'Hours that results which are too long to be shown are kept for their conversation, sealed',
      48,
      { min: 1, max: 720 },
    ),
  },
  mcp: {
    hosts: list(
      'MCP_HOSTS',
      'Hosts of the own network that tool servers and their sign-in may live on, as host or host:port, comma-separated; others must be public and speak https',
    ),
    oauthRedirectUri: optionalText(
      'MCP_OAUTH_REDIRECT_URI',
      "Page of the web app to which a tool server's sign-in leads back, with /<name of the provider> after it; <first of CORS_ORIGINS, or PUBLIC_URL>/mcp/oauth/callback when empty",
    ),
    oauthClients: json(
      'MCP_OAUTH_CLIENTS',
      'Applications registered by hand with the sign-in of tool servers, by issuer, such as {"https://auth.example":{"client_id":"atrium","client_secret":"...","resource_hosts":["mcp.example"]}}; without a secret a public client. Tokens for hosts beside resource_hosts (the issuer\'s own when empty) are asked for only once the person confirmed it. redirect_uri is the address that was registered; the first may be left with the plain MCP_OAUTH_REDIRECT_URI',
      z.record(
        z.url(),
        z.object({
          client_id: z.string().min(1),
          client_secret: z.string().min(1).optional(),
          resource_hosts: z.array(z.string().min(1)).optional(),
          redirect_uri: z.url().optional(),
        }),
      ),
      '{}',
      { secret: true },
    ),
  },
  dataSources: {
    hosts: list(
      'DATA_SOURCE_HOSTS',
      'Hosts of the own network that data sources of people may connect to, as host or host:port, comma-separated; others must be public and encrypt',
    ),
  },
  mcpServer: {
    hosts: list(
      'MCP_SERVER_HOSTS',
      'Further names, without ports, by which MCP clients may call /mcp/ where PUBLIC_URL is set, comma-separated',
    ),
  },
  live: {
    socketsPerUser: integer('SOCKETS_PER_USER', 'WebSockets that one user may have open on one api', 100, {
      min: 1,
      max: 1_000_000,
    }),
  },
  leases: {
    leaseSeconds: integer(
      'LEASE_SECONDS',
      'Seconds without a heartbeat after which the work of a lost worker is taken over',
      20,
      { min: 3, max: 600 },
    ),
    heartbeatSeconds: integer('HEARTBEAT_SECONDS', 'Seconds between the heartbeats of a worker', 5, {
      min: 1,
      max: 120,
    }),
    sweepSeconds: integer('SWEEP_SECONDS', 'Seconds between two looks for lost or forgotten work', 5, {
      min: 1,
      max: 600,
    }),
  },
  languageModel: {
    provider: choice(
      'LLM_PROVIDER',
      'Who answers questions: the embedded quoting model, an endpoint that speaks the OpenAI protocol, or one of a vendor\'s own protocol (see "Language models")',
      ['quoting', 'openai', 'openai-responses', 'azure', 'anthropic', 'gemini', 'bedrock'],
      'quoting',
    ),
    baseUrl: optionalWebAddress(
      'LLM_BASE_URL',
      'Address of the language model endpoint, ending in /v1; of Azure with the deployment and ?api-version=',
    ),
    apiKey: optionalText('LLM_API_KEY', 'Key for the language model endpoint', { secret: true }),
    model: optionalText('LLM_MODEL', 'Model that the endpoint is asked for'),
    probes: flag(
      'LLM_PROBES',
      'Whether each model is asked for a word when the api starts, to tell at once of a wrong key, name or address',
      true,
    ),
    models: optionalText(
      'LLM_MODELS',
      'Several language models instead of one, as a JSON list (see "Language models"); LLM_BASE_URL and LLM_API_KEY serve those that name no base_url of their own',
      { secret: true },
    ),
    modelsFile: optionalText('LLM_MODELS_FILE', 'The same, in a file'),
    hosts: list(
      'LLM_HOSTS',
      'Hosts of the own network that models of people and organisations may live on, as host or host:port, comma-separated; others must be public and speak https',
    ),
    timeoutSeconds: integer('LLM_TIMEOUT_SECONDS', 'Seconds that a model call may take, or wait for its turn', 120, {
      min: 1,
      max: 3600,
    }),
    answerSeconds: integer(
      'LLM_ANSWER_SECONDS',
      'Seconds that a streamed answer may take while it flows; never less than LLM_TIMEOUT_SECONDS',
      600,
      { min: 1, max: 3600 },
    ),
    firstTokenSeconds: integer('LLM_FIRST_TOKEN_SECONDS', 'Seconds until a streamed answer must have begun', 60, {
      min: 1,
      max: 3600,
    }),
    silenceSeconds: integer('LLM_SILENCE_SECONDS', 'Seconds of silence after which a streamed answer is given up', 30, {
      min: 1,
      max: 3600,
    }),
  },
  queries: {
    rewriting: flag(
      'QUERY_REWRITING',
      'Whether a language model writes out, for the search alone, a question that leans on the conversation; the words of the question count all the same',
      true,
    ),
    splitting: flag(
      'QUERY_SPLITTING',
      'Whether the same call makes up to four searches of a question that asks for several things',
      true,
    ),
    model: optionalText(
      'QUERY_MODEL',
      'Who does that, by value, name or id, such as a small and cheap model; the model that answers unless set',
    ),
    timeoutSeconds: integer(
      'QUERY_TIMEOUT_SECONDS',
      'Seconds after which the search goes on with the words of the question',
      4,
      { min: 1, max: 60 },
    ),
  },
  costs: {
    tracking: flag(
      'COST_TRACKING',
      'Whether it is written down who uses language models for what, and can be read',
      true,
    ),
    usdRate: optionalDecimal(
      'USD_RATE',
      'What a US dollar is worth in the currency of LLM_MODELS, where that is another one: list prices of providers are in dollars, and stand apart without it',
      { above: 0, max: 1_000_000 },
    ),
    days: integer('COST_TRACKING_DAYS', 'Days that the use of language models is kept', 400, { min: 91, max: 36_500 }),
  },
  embeddings: {
    provider: choice(
      'EMBEDDINGS_PROVIDER',
      'Who computes vectors: nobody, an endpoint that speaks the OpenAI protocol, or the small built-in encoder (English)',
      ['off', 'openai', 'builtin'],
      'off',
    ),
    baseUrl: optionalWebAddress('EMBEDDINGS_BASE_URL', 'Address of the embeddings endpoint, ending in /v1'),
    apiKey: optionalText('EMBEDDINGS_API_KEY', 'Key for the embeddings endpoint', { secret: true }),
    model: optionalText(
      'EMBEDDINGS_MODEL',
      'Model that the embeddings endpoint is asked for; without EMBEDDINGS_BASE_URL a model of LLM_MODELS of the capability embed',
    ),
    weightPercent: optionalInteger(
      'EMBEDDINGS_WEIGHT_PERCENT',
      'Share of vectors beside words in hybrid search at most; less where both do not agree. Unless set, 50, and 20 for the built-in encoder',
      { min: 0, max: 100 },
    ),
  },
  reranker: {
    provider: choice(
      'RERANKER_PROVIDER',
      'Who reads the best passages once more and orders them: nobody, or an endpoint (Cohere, Jina, vLLM, LiteLLM)',
      ['off', 'endpoint'],
      'off',
    ),
    baseUrl: optionalWebAddress('RERANKER_BASE_URL', 'Address of the reranker, to which /rerank is added'),
    apiKey: optionalText('RERANKER_API_KEY', 'Key for the reranker', { secret: true }),
    model: optionalText('RERANKER_MODEL', 'Model that the reranker is asked for'),
    timeoutSeconds: integer(
      'RERANKER_TIMEOUT_SECONDS',
      'Seconds after which a search goes on without the reranker',
      3,
      {
        min: 1,
        max: 60,
      },
    ),
  },
  mail: {
    provider: choice(
      'MAIL_PROVIDER',
      'Where mails go: into a folder as readable files, to a mail server, or nowhere',
      ['outbox', 'smtp', 'off'],
      'outbox',
    ),
    from: text('MAIL_FROM', 'Sender of the mails', 'Atrium <no-reply@atrium.invalid>'),
    smtpUrl: optionalText(
      'SMTP_URL',
      'Mail server with user and password, such as smtps://user:password@mail.example',
      {
        secret: true,
      },
    ),
    outboxFolder: text('OUTBOX_DIR', 'Folder for mails and text messages that no provider sends', '.data/outbox'),
    reviewers: list(
      'REVIEWER_EMAILS',
      'Addresses that are told when an account waits for approval, comma-separated; where empty, all staff are',
    ),
  },
  sms: {
    provider: choice(
      'SMS_PROVIDER',
      'Where text messages go: into the same folder, to Twilio, or nowhere',
      ['outbox', 'twilio', 'off'],
      'outbox',
    ),
    channel: choice('SMS_CHANNEL', 'How Twilio delivers them', ['sms', 'whatsapp'], 'sms'),
    baseUrl: webAddress('TWILIO_BASE_URL', "Address of Twilio's API", 'https://api.twilio.com'),
    accountSid: optionalText('TWILIO_ACCOUNT_SID', 'Account at Twilio'),
    authToken: optionalText('TWILIO_AUTH_TOKEN', 'Token of the account at Twilio', { secret: true }),
    from: optionalText('TWILIO_FROM', 'Sender at Twilio: a number with its plus sign, or a messaging service (MG...)'),
  },
  tracing: {
    endpoint: optionalWebAddress(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'Where traces go (OpenTelemetry, OTLP over HTTP, such as http://collector:4318); none are made without. The other OTEL_ variables of exporters, samplers and resources hold, too',
    ),
    protocol: choice(
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'How they are written',
      ['http/protobuf', 'http/json'],
      'http/protobuf',
    ),
  },
  health: {
    port: integer('HEALTH_PORT', 'Internal port of each app for /healthz/, /readyz/ and /metrics/; 0 for none', 0, {
      min: 0,
      max: 65_535,
    }),
    hangSeconds: integer(
      'HANG_SECONDS',
      'A process whose event loop has stood still for so many seconds ends itself, to be started again; 0 for never',
      60,
      { min: 0, max: 86_400 },
    ),
  },
  shutdown: {
    delaySeconds: integer(
      'SHUTDOWN_DELAY_SECONDS',
      'Seconds that an api told to stop (SIGTERM) goes on serving while /readyz/ says no: a little longer than the load balancer takes to notice',
      0,
      { min: 0, max: 300 },
    ),
    drainSeconds: integer(
      'SHUTDOWN_DRAIN_SECONDS',
      'Seconds that an api told to stop (SIGTERM) then gives the calls that are being answered; it ends as soon as nobody waits',
      20,
      { min: 0, max: 3600 },
    ),
  },
  demo: {
    password: text('DEMO_PASSWORD', 'Password of the demo account that npm start makes', 'demo-atrium-2026', {
      secret: true,
    }),
  },
  logging: {
    level: choice(
      'LOG_LEVEL',
      'Least severe log line that is written',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace'],
      'info',
    ),
    requests: flag('LOG_REQUESTS', 'Whether each HTTP request gets a log line', true),
  },
};

import { z } from 'zod';
import { choice, flag, integer, json, list, optionalText } from '../setting.js';

/** Workflows, conversations, agents and their tools, and what replicas share of them. */
export const workConcerns = {
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
      'Characters of one tool result that a model is shown, a sixth of what it reads at most; of longer ones it gets the beginning, and reads on in what is kept',
      20_000,
      { min: 1_000, max: 1_000_000 },
    ),
    shownTokens: integer(
      'AGENT_TOOL_TOKENS',
      'Tokens that the definitions of tools of connected servers may take of each prompt, an eighth of what the model reads at most; with more, agents look for tools and are shown what they find',
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
};

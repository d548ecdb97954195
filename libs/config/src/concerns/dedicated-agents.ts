import { choice, integer, optionalText, optionalWebAddress, text } from '../setting.js';

const SCOPES = {
  run: 'in one run',
  job: 'in all runs of a job in a month',
  day: 'in all runs in a day',
  month: 'in all runs in a month',
} as const;

const costCents = (scope: keyof typeof SCOPES) =>
  integer(
    `AGENT_BUDGET_${scope.toUpperCase()}_COST_CENTS`,
    `What models may cost a dedicated agent ${SCOPES[scope]}, in hundredths of the currency of the prices; 0 for no cap. Operators set another for one agent: \`npm run admin -- agent budget\``,
    0,
    { min: 0, max: 100_000_000_000 },
  );

const tokens = (scope: keyof typeof SCOPES) =>
  integer(
    `AGENT_BUDGET_${scope.toUpperCase()}_TOKENS`,
    `Tokens, read and written, that a dedicated agent may use ${SCOPES[scope]}; 0 for no cap`,
    0,
    { min: 0, max: 1_000_000_000_000 },
  );

/** Who does the work of dedicated agents, and what it may cost. */
export const dedicatedAgentConcerns = {
  agentGateway: {
    kind: choice(
      'AGENT_GATEWAY',
      'Who does the work of dedicated agents: Atrium itself (`embedded`), or a server that speaks the API of hermes-agent (`hermes`)',
      ['embedded', 'hermes'],
      'embedded',
    ),
    url: optionalWebAddress(
      'AGENT_GATEWAY_URL',
      'Address of that server, with `AGENT_GATEWAY=hermes`, such as http://127.0.0.1:8642',
    ),
    key: optionalText(
      'AGENT_GATEWAY_KEY',
      'What it is called with, as a bearer token (its API_SERVER_KEY), 16 characters at least',
      {
        secret: true,
      },
    ),
    profile: text(
      'AGENT_GATEWAY_PROFILE',
      'Profile of an agent there, with {agent_id} or {user_id} in it; `none`: all agents share the one that has no name, which is for one person alone',
      '{agent_id}',
    ),
    timeoutSeconds: integer('AGENT_GATEWAY_TIMEOUT_SECONDS', 'Seconds within which it has to answer', 30, {
      min: 1,
      max: 600,
    }),
  },
  agentBudget: {
    runCostCents: costCents('run'),
    jobCostCents: costCents('job'),
    dayCostCents: costCents('day'),
    monthCostCents: costCents('month'),
    runTokens: tokens('run'),
    jobTokens: tokens('job'),
    dayTokens: tokens('day'),
    monthTokens: tokens('month'),
    softPercent: integer(
      'AGENT_BUDGET_SOFT_PERCENT',
      'Of these caps, from which on the owner is told that an agent comes near them; 0: never',
      80,
      { min: 0, max: 100 },
    ),
  },
};

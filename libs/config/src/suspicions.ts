import { listSettings } from './load.js';
import { fileVariable } from './secret-files.js';

/** So many letters may be wrong, missing or too many; in short names nothing is told. */
const WRONG_LETTERS = 2;
const SHORTEST_NAME = 7;

/** How many letters have to be changed, added or left out to make one text of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = row[j - 1]! + Number(one[i - 1] !== other[j - 1]);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** Settings that do nothing until another one says so, which is easily forgotten. */
const SWITCHES = [
  { setting: 'LLM_MODEL', name: 'LLM_PROVIDER', on: 'openai' },
  { setting: 'EMBEDDINGS_MODEL', name: 'EMBEDDINGS_PROVIDER', on: 'openai' },
  { setting: 'RERANKER_MODEL', name: 'RERANKER_PROVIDER', on: 'endpoint' },
  { setting: 'S3_BUCKET', name: 'STORAGE_PROVIDER', on: 's3' },
  { setting: 'SMTP_URL', name: 'MAIL_PROVIDER', on: 'smtp' },
  { setting: 'TWILIO_ACCOUNT_SID', name: 'SMS_PROVIDER', on: 'twilio' },
  { setting: 'STRIPE_SECRET_KEY', name: 'BILLING', on: 'stripe' },
  { setting: 'AGENT_GATEWAY_URL', name: 'AGENT_GATEWAY', on: 'hermes' },
  { setting: 'CLAMD_SOCKET', name: 'ANTIVIRUS', on: 'clamd' },
  { setting: 'CLAMD_HOST', name: 'ANTIVIRUS', on: 'clamd' },
];

/** What is allowed and yet probably a mistake, one sentence each. */
export function findSuspicions(env: NodeJS.ProcessEnv = process.env): string[] {
  return [...findMisspellings(env), ...findIdleSettings(env), ...findUnprovenAddresses(env), ...findHiddenPages(env)];
}

/** Whoever switches a service off on purpose says so. */
function findIdleSettings(env: NodeJS.ProcessEnv): string[] {
  return SWITCHES.filter(({ setting, name }) => (env[setting] || env[fileVariable(setting)]) && !env[name]).map(
    ({ setting, name, on }) => `${setting} has no effect without ${name}=${on}.`,
  );
}

const OFF = ['', 'false', 'no', 'off', '0'];

/** Shares go by address: where strangers register and nobody confirms anything, they go to whoever comes first. */
function findUnprovenAddresses(env: NodeJS.ProcessEnv): string[] {
  const isOpen = (env.REGISTRATION ?? '') !== 'sso_only';
  const isUnproven = OFF.includes((env.EMAIL_VERIFICATION ?? '').trim().toLowerCase());
  if (env.NODE_ENV !== 'production' || !isOpen || !isUnproven) return [];
  return [
    'EMAIL_VERIFICATION is off and anybody can register: whoever registers with an address that is not theirs is given what is shared with it. Turn it on, or set REGISTRATION=sso_only.',
  ];
}

/** Beside an api on this machine, pages are at its other name; no deployment for others has a name to spare by itself. */
function findHiddenPages({ PUBLIC_URL, ARTIFACT_ORIGIN }: NodeJS.ProcessEnv): string[] {
  const host = URL.parse(PUBLIC_URL ?? '')?.hostname;
  if (!host || ARTIFACT_ORIGIN || /(^|\.)localhost$|^127\.|^\[::1\]$/.test(host)) return [];
  return ['ARTIFACT_ORIGIN is not set: pages of artifacts cannot be shown.'];
}

/** Variables that are no settings, but are called almost like one. */
function findMisspellings(env: NodeJS.ProcessEnv): string[] {
  const settings = listSettings();
  const known = settings.flatMap((row) => (row.file === null ? [row.env] : [row.env, row.file]));
  return Object.keys(env)
    .filter((name) => name.length >= SHORTEST_NAME && !known.includes(name))
    .flatMap((name) => {
      if (settings.some((row) => fileVariable(row.env) === name))
        return [`${name} has no effect: only secrets can be given as files.`];
      const wrong = (setting: string) => distance(name.toUpperCase(), setting);
      const meant = known.toSorted((one, other) => wrong(one) - wrong(other))[0]!;
      return wrong(meant) <= WRONG_LETTERS ? [`${name} is no setting and has no effect. Is ${meant} meant?`] : [];
    });
}

/**
 * Names whose values never reach a log line, wherever they stand (docs/contract/reliability.md#secrets-and-webhooks).
 */
const SECRET_NAMES = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'old_password',
  'new_password',
  'current_password',
  'token',
  'auth_token',
  'access_token',
  'refresh_token',
  'refresh',
  'id_token',
  'ticket',
  'secret',
  'client_secret',
  'webhook_secret',
  'x-webhook-secret',
  'webhooksecret',
  'signing_key',
  'webhook-signature',
  'x-hub-signature-256',
  'api_key',
  'apikey',
  'link',
  'sig',
  'otp',
  'dek',
  'recovery_code',
  'promo_code',
]);

export const REDACTED = '[redacted]';

/** Deeper than any object that is logged on purpose. */
const MAX_DEPTH = 6;

/** A copy of logged fields with the values of secret names replaced, wherever they stand. */
export function redactFields(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      SECRET_NAMES.has(name.toLowerCase()) ? REDACTED : redactFields(field, depth + 1),
    ]),
  );
}

const inQuery = new RegExp(`([?&;\\s](?:${[...SECRET_NAMES].join('|')})=)[^&\\s"']+`, 'gi');
const inHeader = /\b((?:Token|Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}/g;
const inUrl = /(\w+:\/\/[^:/\s]*:)[^@/\s]+@/g;

/** The address of a webhook is its secret, wherever it is told. Texts hold paths of files, too. */
const inPath = /(\/hooks\/+)[^/?#]+/gi;
const inHookUrl = /(\/hooks\/+)[\w%-]{20,}/gi;

/** The path of a request as logs and traces may tell it. */
export function redactPath(path: string): string {
  return path.replace(inPath, `$1${REDACTED}`);
}

/** Secrets inside a text, such as a URL's query or an error message that quotes a connection string. */
export function redactText(text: string): string {
  return text
    .replace(inHookUrl, `$1${REDACTED}`)
    .replace(inQuery, `$1${REDACTED}`)
    .replace(inHeader, `$1${REDACTED}`)
    .replace(inUrl, `$1${REDACTED}@`);
}

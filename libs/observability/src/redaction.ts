/** Names whose values never reach a log line, wherever they stand (reliability C4). */
const SECRET_NAMES = [
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
  'api_key',
  'apikey',
  'link',
  'sig',
  'otp',
  'dek',
  'recovery_code',
  'promo_code',
];

export const REDACTED = '[redacted]';

/** Paths for pino: each name at the top and up to two levels down. */
export const redactPaths = SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

const inQuery = new RegExp(`([?&;\\s](?:${SECRET_NAMES.join('|')})=)[^&\\s"']+`, 'gi');
const inHeader = /\b((?:Token|Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}/g;
const inUrl = /(\w+:\/\/[^:/\s]*:)[^@/\s]+@/g;

/** Secrets inside a text, such as a URL's query or an error message that quotes a connection string. */
export function redactText(text: string): string {
  return text.replace(inQuery, `$1${REDACTED}`).replace(inHeader, `$1${REDACTED}`).replace(inUrl, `$1${REDACTED}@`);
}

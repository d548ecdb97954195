import { randomBytes } from 'node:crypto';
import { ValidationError } from '@app/common';

/** How a sender that knows the address proves that it is the right one. */
export const HOOK_SCHEMES = [
  'none',
  'header',
  'basic',
  'bearer',
  'hmac',
  'github',
  'gitlab',
  'stripe',
  'slack',
  'zoom',
  'svix',
  'standard-webhooks',
] as const;
export type HookScheme = (typeof HOOK_SCHEMES)[number];

/** By which question a vendor finds out that the address is ours, before it sends anything there. */
export const HOOK_CHALLENGES = ['none', 'meta', 'dropbox', 'microsoft-graph', 'plain'] as const;
export type HookChallenge = (typeof HOOK_CHALLENGES)[number];

export interface HookSecret {
  value: string;
  /** Milliseconds since the epoch; null for the one in use. */
  until: number | null;
}

/** All that calls of one address are checked against. */
export interface HookSettings {
  scheme: HookScheme;
  challenge: HookChallenge;
  /** `header` and `hmac`: lower case. */
  headerName: string | null;
  /** `basic` alone. */
  username: string | null;
  /** The one in use first; none for the scheme `none`. */
  secrets: HookSecret[];
  /** `meta` alone. */
  verifyToken: string | null;
}

/** As the owner asks for it. */
export interface HookWish {
  scheme: HookScheme;
  challenge: HookChallenge;
  headerName: string | null;
  username: string | null;
  /** Null: one is made, where the sender can be told it. */
  secret: string | null;
  verifyToken: string | null;
}

/** Their senders make the secret. */
const MADE_ELSEWHERE: ReadonlySet<HookScheme> = new Set(['stripe', 'slack', 'zoom', 'svix']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/;
/** What says something else, or never reaches the api as it was sent. */
const OTHER_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|cookie|forwarded|x-forwarded-.*|x-real-ip|x-request-id|accept.*|expect|te|upgrade|via)$/;
const VISIBLE_ASCII = /^[\x21-\x7e]([\x20-\x7e]{0,510}[\x21-\x7e])?$/;

/**
 * @param known of the address before the change: without a new secret of the same scheme the old one stays.
 * @returns the settings, and the secret if it was made here. @throws ValidationError by wire names
 */
export function toHookSettings(
  wish: HookWish,
  known: HookSettings | null,
): { settings: HookSettings; made: string | null } {
  const { scheme, challenge } = wish;
  const needsHeader = scheme === 'header' || scheme === 'hmac';
  const settings: HookSettings = {
    scheme,
    challenge,
    headerName: needsHeader ? readHeaderName(wish.headerName) : null,
    username: scheme === 'basic' ? readUsername(wish.username) : null,
    secrets: [],
    verifyToken: challenge === 'meta' ? readText('verify_token', wish.verifyToken) : null,
  };
  if (scheme === 'none') return { settings, made: null };
  const kept = known?.scheme === scheme ? known.secrets : [];
  if (wish.secret === null && kept.length > 0) return { settings: { ...settings, secrets: kept }, made: null };
  if (wish.secret === null && MADE_ELSEWHERE.has(scheme))
    throw new ValidationError({ secret: ['This field is required: the sender makes it.'] });
  const value = wish.secret === null ? makeSecret(scheme) : readSecret(scheme, wish.secret);
  return {
    settings: { ...settings, secrets: [{ value, until: null }] },
    made: wish.secret === null ? value : null,
  };
}

function makeSecret(scheme: HookScheme): string {
  return scheme === 'standard-webhooks'
    ? `whsec_${randomBytes(32).toString('base64')}`
    : randomBytes(32).toString('base64url');
}

function readSecret(scheme: HookScheme, given: string): string {
  const secret = readText('secret', given.trim());
  if (scheme !== 'svix' && scheme !== 'standard-webhooks') return secret;
  const base64 = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  if (!isWhole || bytes.length < 16 || bytes.length > 128)
    throw new ValidationError({ secret: ['Enter whsec_ and the base64 of 16 to 128 bytes.'] });
  return secret;
}

function readHeaderName(given: string | null): string {
  const name = (given ?? '').trim().toLowerCase();
  if (name === '') throw new ValidationError({ header_name: ['This field is required.'] });
  if (!HEADER_NAME.test(name) || OTHER_HEADERS.test(name))
    throw new ValidationError({ header_name: ['Enter the name of a header that the sender may set.'] });
  return name;
}

function readUsername(given: string | null): string {
  const name = readText('username', given);
  if (name.includes(':')) throw new ValidationError({ username: ['A user name of HTTP Basic holds no colon.'] });
  return name;
}

function readText(field: string, given: string | null): string {
  if (given === null || given === '') throw new ValidationError({ [field]: ['This field is required.'] });
  if (!VISIBLE_ASCII.test(given)) throw new ValidationError({ [field]: ['Enter 1 to 512 visible ASCII characters.'] });
  return given;
}

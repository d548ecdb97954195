import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { HookSettings } from './hook-settings.js';

/** What a vendor wants to hear from the address, word for word. */
export interface ChallengeAnswer {
  contentType: 'text/plain; charset=utf-8' | 'application/json; charset=utf-8';
  body: string;
}

type Query = Readonly<Record<string, unknown>>;

const MAX_LENGTH = 4096;

/**
 * Answers a GET or HEAD, as the vendors document it: Meta (`hub.mode`, `hub.verify_token`, `hub.challenge`), Dropbox
 * (`challenge`), or plainly for those that look whether somebody is there (Trello, Mailchimp).
 * @returns null for a question that the address does not answer
 */
export function answerGet({ challenge, verifyToken }: HookSettings, query: Query): ChallengeAnswer | null {
  if (challenge === 'plain') return text('ok');
  if (challenge === 'dropbox') return echo(query.challenge);
  if (challenge !== 'meta') return null;
  const given = query['hub.verify_token'];
  const isRight = typeof given === 'string' && isSame(given, verifyToken ?? '');
  return isRight && query['hub.mode'] === 'subscribe' ? echo(query['hub.challenge']) : null;
}

/** Microsoft Graph asks with a POST that has no body and proves nothing. @returns null for any other call */
export function answerUnproven({ challenge }: HookSettings, query: Query, body: Buffer): ChallengeAnswer | null {
  return challenge === 'microsoft-graph' && body.length === 0 ? echo(query.validationToken) : null;
}

/**
 * The questions of Slack and Zoom, which are signed as their events are.
 * @param body of a genuine call. @returns null for an event
 */
export function answerGenuine({ scheme, secrets }: HookSettings, body: Buffer): ChallengeAnswer | null {
  if (scheme !== 'slack' && scheme !== 'zoom') return null;
  const asked = parsed(body);
  if (scheme === 'slack') return asked.type === 'url_verification' ? echo(asked.challenge) : null;
  if (asked.event !== 'endpoint.url_validation') return null;
  const plainToken = (asked.payload as { plainToken?: unknown } | undefined)?.plainToken;
  if (typeof plainToken !== 'string' || plainToken.length > MAX_LENGTH) return null;
  const encryptedToken = createHmac('sha256', secrets[0]!.value).update(plainToken).digest('hex');
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify({ plainToken, encryptedToken }) };
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    const value = JSON.parse(body.toString('utf8')) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // A form is no question.
    return {};
  }
}

function echo(value: unknown): ChallengeAnswer | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? text(value) : null;
}

const text = (body: string): ChallengeAnswer => ({ contentType: 'text/plain; charset=utf-8', body });

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

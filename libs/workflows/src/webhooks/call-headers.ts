import type { IncomingHttpHeaders } from 'node:http';
import { cutText, headerText, InvalidRequestError } from '@app/common';

const KEPT = new Set(['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']);
/** How senders name what happened: `x-github-event`, `x-shopify-topic`, `x-gitlab-event-uuid`, `x-hook-delivery`. */
const TELLS_OF_AN_EVENT = /^x-[a-z0-9-]*(event|topic|delivery|action|resource-state|channel-id|hook-id)[a-z0-9-]*$/;
/** Whatever else it says. */
const PROVES_SOMETHING = /secret|token|signature|hmac|auth|password|cookie|key/;
const MAX_LENGTH = 512;

const cut = (text: string): string => cutText(text, MAX_LENGTH);

/**
 * The headers of a call that its workflow may see: an allow-list, and nothing that proves who called.
 * @throws InvalidRequestError `parse_error` for one of them that is not UTF-8
 */
export function headersForWorkflow(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || (!KEPT.has(name) && !TELLS_OF_AN_EVENT.test(name))) continue;
    if (PROVES_SOMETHING.test(name)) continue;
    const text = headerText(value);
    if (text === null) throw new InvalidRequestError(`The header ${name} is not UTF-8.`, { code: 'parse_error' });
    kept[name] = cut(text);
  }
  return kept;
}

const MAX_FIELDS = 50;

/**
 * The query of an address that its workflow may see, without what may prove something and what steers the call. A field
 * that comes several times is a list, as in the body of a form.
 */
export function queryForWorkflow(query: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  const kept = Object.entries(query).flatMap(([name, value]): [string, string | string[]][] => {
    if (name === 'wait_seconds' || name.includes('\0') || PROVES_SOMETHING.test(name.toLowerCase())) return [];
    const texts = [value].flat().filter((text): text is string => typeof text === 'string' && !text.includes('\0'));
    if (texts.length === 0) return [];
    const shown = texts.slice(0, MAX_FIELDS).map(cut);
    return [[cut(name), shown.length === 1 ? shown[0]! : shown]];
  });
  return Object.fromEntries(kept.slice(0, MAX_FIELDS));
}

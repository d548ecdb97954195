import type { IncomingHttpHeaders } from 'node:http';

const KEPT = new Set(['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']);
/** How senders name what happened: `x-github-event`, `x-shopify-topic`, `x-gitlab-event-uuid`, `x-hook-delivery`. */
const TELLS_OF_AN_EVENT = /^x-[a-z0-9-]*(event|topic|delivery|action|resource-state|channel-id|hook-id)[a-z0-9-]*$/;
/** Whatever else it says. */
const PROVES_SOMETHING = /secret|token|signature|hmac|auth|password|cookie|key/;
const MAX_LENGTH = 512;

/** The headers of a call that its workflow may see: an allow-list, and nothing that proves who called. */
export function headersForWorkflow(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || (!KEPT.has(name) && !TELLS_OF_AN_EVENT.test(name))) continue;
    if (!PROVES_SOMETHING.test(name)) kept[name] = value.slice(0, MAX_LENGTH);
  }
  return kept;
}

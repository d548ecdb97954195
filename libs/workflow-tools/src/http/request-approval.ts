import { type PersonsWords, toolApproval, type ToolApproval } from '@app/workflow-definition';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const ACCEPTED = /^(?:\*\/\*|(?:application|text)\/(?:json|xml|html|plain|csv|\*))$/;

/**
 * Whatever is sent to a host can carry what the agent has read, the path and the query of an address as well: reading
 * goes unasked only where the whole request is the user's own words.
 */
export function requestApproval(input: Record<string, unknown>, words: PersonsWords): ToolApproval | null {
  const { method, url } = input;
  const verb = typeof method === 'string' ? method.toUpperCase() : 'GET';
  const address = typeof url === 'string' ? URL.parse(url.trim()) : null;
  // What is no address is refused by the tool.
  if (!address) return null;
  const isReading = READING.has(verb);
  if (isReading && isPlain(input, verb) && words.owns(askedAddress(address, input.query))) return null;
  const shown = `${address.origin}${address.pathname}`;
  if (!isReading)
    return toolApproval('http_request', `${verb} ${address.origin}`, `Send a request (${verb}) to ${shown}`);
  const why = words.names(address.hostname) ? 'whose whole address you did not give' : 'which you did not name';
  return toolApproval('http_request', `read ${address.origin}`, `Call ${shown}, ${why}`);
}

/** The address as it is asked for: with the parameters beside it, without what stays here. */
function askedAddress(address: URL, query: unknown): URL {
  const url = new URL(address);
  url.hash = '';
  if (typeof query === 'object' && query !== null)
    for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.append(name, String(value));
  return url;
}

/** Nothing but the address leaves. */
function isPlain({ headers, body_kind: kind, body, content_type: type }: Record<string, unknown>, verb: string) {
  const hasBody = (kind !== undefined && kind !== 'none') || (body !== undefined && body !== null) || Boolean(type);
  if (hasBody || verb === 'OPTIONS') return false;
  if (headers === undefined || headers === null) return true;
  return (
    typeof headers === 'object' &&
    Object.entries(headers).every(([name, value]) => name.toLowerCase() === 'accept' && ACCEPTED.test(String(value)))
  );
}

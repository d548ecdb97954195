import { createHash } from 'node:crypto';
import { type ApprovalNeed, cutLine, type UserWords } from '@app/agents';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What the user has to agree to before a kind of the catalogue works with these arguments; null: nothing. */
export function approvalForKind(kind: string, input: Record<string, unknown>, words: UserWords): ApprovalNeed | null {
  if (kind === 'send_email') return forMail(input);
  if (kind === 'http_request') return forRequest(input, words);
  if (kind === 'file_writer' && input.if_exists === 'replace')
    return need('file_writer', String(input.path), `Replace your file ${cutLine(String(input.path), 200)}`);
  return null;
}

/** The same tool, and the same place where its effect lands. */
export function need(tool: string, target: string, summary: string): ApprovalNeed {
  const place = target.length > 150 ? createHash('sha256').update(target).digest('hex') : target;
  return { key: `${tool}:${place}`, summary: cutLine(summary, 500) };
}

function forMail(input: Record<string, unknown>): ApprovalNeed {
  const to = [input.to, input.cc, input.bcc].flatMap(addressesIn).sort();
  const subject = typeof input.subject === 'string' ? input.subject : '';
  return need('send_email', [...new Set(to)].join(','), `Send an e-mail to ${to.join(', ')}: ${subject}`);
}

function addressesIn(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.split(/[,;]/) : []))
    .map((address) => address.trim().toLowerCase())
    .filter((address) => address !== '');
}

/** Whatever is sent to a host can carry what the agent has read: reading, too, goes to named hosts only. */
function forRequest({ method, url }: Record<string, unknown>, words: UserWords): ApprovalNeed | null {
  const verb = typeof method === 'string' ? method.toUpperCase() : 'GET';
  const address = typeof url === 'string' ? URL.parse(url.trim()) : null;
  // What is no address is refused by the tool.
  if (!address) return null;
  const isReading = READING.has(verb);
  if (isReading && words.names(address.hostname)) return null;
  const shown = `${address.origin}${address.pathname}`;
  return isReading
    ? need('http_request', `read ${address.origin}`, `Call ${shown}, which you did not name`)
    : need('http_request', `${verb} ${address.origin}`, `Send a request (${verb}) to ${shown}`);
}

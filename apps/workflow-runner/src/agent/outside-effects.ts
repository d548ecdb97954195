import { createHash } from 'node:crypto';
import { type ApprovalNeed, cutLine, DOCUMENTS, type Party, type UserWords } from '@app/agents';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const ACCEPTED = /^(?:\*\/\*|(?:application|text)\/(?:json|xml|html|plain|csv|\*))$/;
const READS_DOCUMENTS = new Set([
  'semantic_search',
  'ask_documents',
  'list_documents',
  'pdf_text',
  'ocr',
  'read_file',
  'spreadsheet_read',
  'database_query',
  'ask_database',
  'extract_table_rows',
]);

/** What the user has to agree to before a kind of the catalogue works with these arguments; null: nothing. */
export function approvalForKind(kind: string, input: Record<string, unknown>, words: UserWords): ApprovalNeed | null {
  if (kind === 'send_email') return forMail(input);
  if (kind === 'http_request') return forRequest(input, words);
  if (kind === 'file_writer' && input.if_exists === 'replace')
    return need('file_writer', String(input.path), `Replace your file ${cutLine(String(input.path), 200)}`);
  return null;
}

/** A connected server. */
export function partyOf({ id, label }: { id: number; label: string }): Party {
  return { key: `server:${id}`, label };
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

/**
 * Whatever is sent to a host can carry what the agent has read, the path and the query of an address as well: reading
 * goes unasked only where the whole request is the user's own words.
 */
function forRequest(input: Record<string, unknown>, words: UserWords): ApprovalNeed | null {
  const { method, url } = input;
  const verb = typeof method === 'string' ? method.toUpperCase() : 'GET';
  const address = typeof url === 'string' ? URL.parse(url.trim()) : null;
  // What is no address is refused by the tool.
  if (!address) return null;
  const isReading = READING.has(verb);
  if (isReading && isPlain(input, verb) && words.owns(askedAddress(address, input.query))) return null;
  const shown = `${address.origin}${address.pathname}`;
  if (!isReading) return need('http_request', `${verb} ${address.origin}`, `Send a request (${verb}) to ${shown}`);
  const why = words.names(address.hostname) ? 'whose whole address you did not give' : 'which you did not name';
  return need('http_request', `read ${address.origin}`, `Call ${shown}, ${why}`);
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

/** Whom a kind of the catalogue sends to. */
export function targetOfKind(kind: string, input: Record<string, unknown>): Party | null {
  if (kind === 'send_email') {
    const { summary } = forMail({ ...input, subject: '' });
    return { key: 'mail', label: summary.replace(/^Send an e-mail to /, '').replace(/: $/, '') };
  }
  return kind === 'http_request' ? webParty(input.url) : null;
}

/** Whose words the output of a kind of the catalogue holds. */
export function sourceOfKind(kind: string, input: Record<string, unknown>): Party | null {
  if (kind === 'http_request') return webParty(input.url);
  return READS_DOCUMENTS.has(kind) ? DOCUMENTS : null;
}

function webParty(url: unknown): Party | null {
  const origin = typeof url === 'string' ? URL.parse(url.trim())?.origin : undefined;
  return origin === undefined ? null : { key: `web:${origin}`, label: origin };
}

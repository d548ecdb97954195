import { validateHeaderName, validateHeaderValue } from 'node:http';
import { EgressError } from './egress-error.js';

/** They frame the message, steer the connection or name another host: that is the client's own business. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The first makes a tunnel, the others echo credentials. */
const REFUSED_METHODS = ['CONNECT', 'TRACE', 'TRACK'];

/** @throws EgressError (`blocked`) */
export function checkMethod(method: string): string {
  const upper = method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(upper) || REFUSED_METHODS.includes(upper))
    throw new EgressError('blocked', 'The method of the request cannot be sent.');
  return upper;
}

/** The headers in lower case. @throws EgressError (`blocked`), which tells names but no values */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (RESERVED.has(name) || name.startsWith('proxy-'))
      throw new EgressError('blocked', `The header ${name} cannot be set.`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (cause) {
      throw new EgressError('blocked', 'A header has characters that cannot be sent.', cause);
    }
    checked[name] = value;
  }
  return checked;
}

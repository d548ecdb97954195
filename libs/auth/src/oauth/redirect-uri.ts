const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Browsers act on these themselves. */
const NEVER = [
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
  'filesystem:',
  'view-source:',
  'ws:',
  'wss:',
  'ftp:',
];
const MAX_LENGTH = 2000;

/** Whether a client may be led back there: https, this machine's own http, or a scheme of the client's own (RFC 8252). */
export function isRedirectUri(address: string): boolean {
  const url = URL.parse(address);
  if (!url || address.length > MAX_LENGTH || address.includes('#') || /[\s\\]/.test(address)) return false;
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return LOOPBACK.includes(url.hostname);
  return !NEVER.includes(url.protocol) && /^[a-z][a-z0-9+.-]{2,60}:$/.test(url.protocol);
}

/** Character by character; only the port of a loopback address is the client's to choose each time (RFC 8252, 7.3). */
export function matchesRedirectUri(registered: readonly string[], given: string): boolean {
  return registered.includes(given) || registered.some((one) => isSameLoopback(one, given));
}

function isSameLoopback(one: string, given: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(given)];
  if (!a || !b || !isRedirectUri(given) || a.protocol !== 'http:' || b.protocol !== 'http:') return false;
  return a.hostname === b.hostname && a.pathname === b.pathname && a.search === b.search;
}

/** Whether it leads to the machine that the browser runs on, and so to nobody else. */
export function isLoopback(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.protocol === 'http:' && LOOPBACK.includes(url.hostname);
}

/** How people are told of it: the scheme goes with it, unless it is one of the web. */
export function hostShown(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? host : `${protocol}${host === '' ? '' : `//${host}`}`;
}

/** The scheme of a program of its own, which any program on the machine may claim; null for one of the web. */
export function schemeShown(address: string): string | null {
  const { protocol } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? null : protocol.slice(0, -1);
}

export function withParameters(address: string, parameters: Readonly<Record<string, string | null>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

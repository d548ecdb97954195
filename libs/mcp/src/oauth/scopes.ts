/** RFC 6749, section 3.3: printable, no blank, no quote, no backslash. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const MAX_SCOPES = 100;

/** The scopes among what a server lists, each once; what is none is left out. At most 100. */
export function toScopes(listed: Iterable<unknown>): string[] {
  const scopes = new Set<string>();
  for (const one of listed) if (typeof one === 'string' && SCOPE.test(one)) scopes.add(one);
  return [...scopes].slice(0, MAX_SCOPES);
}

/** A scope parameter as OAuth writes it. */
export function parseScopes(text: string): string[] {
  return toScopes(text.split(/\s+/));
}

export function unionOf(...lists: (readonly string[])[]): string[] {
  return toScopes(lists.flat());
}

export function writeScopes(scopes: readonly string[]): string {
  return scopes.join(' ');
}

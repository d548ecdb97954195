const URL_LIKE =
  /\b(?:[a-z][a-z0-9+.-]*:\/\/)?((?:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\.)+[a-z]{2,63}|localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?=[/?#\s"'<>)\],;:!.]|$)/gi;
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi;
const MAX_DEPTH = 20;

/** What the user has said in the conversation: the only text that may widen where data goes. */
export class UserWords {
  private readonly hosts = new Set<string>();

  constructor(texts: readonly string[]) {
    for (const text of texts) for (const match of text.matchAll(URL_LIKE)) this.hosts.add(toHost(match[1]!));
  }

  /** Whether the user named this host; with or without `www.`, but no other host of the same domain. */
  names(host: string): boolean {
    return this.hosts.has(toHost(host));
  }

  /** Hosts of addresses anywhere in the arguments that the user did not name. */
  foreignHosts(input: unknown): string[] {
    const found = new Set<string>();
    collectHosts(input, found, 0);
    return [...found].filter((host) => !this.names(host));
  }
}

function collectHosts(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value === 'string') {
    for (const [address] of value.matchAll(ADDRESS)) {
      const host = URL.parse(address)?.hostname;
      if (host) found.add(toHost(host));
    }
    return;
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const one of Object.values(value)) collectHosts(one, found, depth + 1);
}

function toHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
}

const RUN = /[\p{L}\p{N}.-]{3,253}/gu;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** They end names of files as well as of hosts: such a host counts only where its whole address was given. */
const FILE_LIKE = /\.(?:zip|mov|md|py|rs|sh|pl|ps|cc|so)$/i;
/** A scheme is short, and a bound keeps the search from going back and forth. */
const ADDRESS = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>\\]{1,2000}/gi;
const MAX_DEPTH = 20;

/** What the user has said in the conversation: the only text that may widen where data goes. */
export class UserWords {
  private readonly hosts = new Set<string>();

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      for (const [address] of text.matchAll(ADDRESS)) this.add(URL.parse(address)?.hostname);
      for (const [run] of text.matchAll(RUN)) this.addName(run.replaceAll(/^[.-]+|[.-]+$/g, ''));
    }
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

  private addName(name: string): void {
    const isName = name === 'localhost' || IPV4.test(name) || (/\.[^.\d-][^.]*$/.test(name) && !FILE_LIKE.test(name));
    if (isName) this.add(URL.parse(`http://${name}`)?.hostname);
  }

  private add(host: string | undefined): void {
    if (host) this.hosts.add(toHost(host));
  }
}

function collectHosts(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value === 'string') {
    // A lenient reader takes `https:host` and `//host` for addresses, too.
    const whole = URL.parse(value.trim(), 'relative://none/');
    if (whole && whole.hostname !== 'none' && whole.hostname !== '') found.add(toHost(whole.hostname));
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

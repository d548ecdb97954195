const RUN = /[\p{L}\p{N}.-]{3,253}/gu;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** They end names of files as well as of hosts: such a host counts only where its whole address was given. */
const FILE_LIKE = /\.(?:zip|mov|md|py|rs|sh|pl|ps|cc|so)$/i;
/** A scheme is short, and a bound keeps the search from going back and forth. */
const ADDRESS = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>\\]{1,2000}/gi;
/** An address as people write it, without a scheme. */
const BARE = /(?<![\p{L}\p{N}.:/@-])[\p{L}\p{N}][\p{L}\p{N}.-]{2,252}(?::\d{1,5})?[/?][^\s"'<>\\]{0,2000}/gu;
/** What ends a sentence rather than an address. */
const AFTER_ADDRESS = /[.,;:!?)\]}*_`]+$/;
const LETTER = /[\p{L}\p{N}]/u;
const MAX_DEPTH = 20;
const MAX_ADDRESSES = 2_000;

/** What the user has said in the conversation: the only text that may widen where data goes. */
export class UserWords {
  private readonly hosts = new Set<string>();
  private readonly addresses = new Set<string>();
  private readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    this.texts = texts.map((text) => text.toLowerCase());
    for (const text of texts) {
      for (const [address] of text.matchAll(ADDRESS)) {
        this.add(URL.parse(address)?.hostname);
        this.addAddress(address);
      }
      for (const [address] of text.matchAll(BARE)) this.addAddress(`https://${address}`);
      for (const [run] of text.matchAll(RUN)) this.addName(run.replaceAll(/^[.-]+|[.-]+$/g, ''));
    }
  }

  /** Whether the user named this host; with or without `www.`, but no other host of the same domain. */
  names(host: string): boolean {
    return this.hosts.has(toHost(host));
  }

  /**
   * Whether asking at this address tells nobody anything that the user did not write: the address as they wrote it
   * (scheme and `www.` aside), a folder above it, or the root of a host that they named. Path and query of any other
   * can carry what the agent has read.
   */
  owns(url: URL): boolean {
    if (url.username !== '' || url.password !== '') return false;
    if (this.addresses.has(nameOf(url))) return true;
    const isRoot = (url.pathname === '/' || url.pathname === '') && url.search === '' && url.hash === '';
    return isRoot && url.port === '' && this.names(url.hostname);
  }

  /** Hosts of addresses anywhere in the arguments that are not the user's own. */
  foreignHosts(input: unknown): string[] {
    const found: URL[] = [];
    collectAddresses(input, found, 0);
    return [...new Set(found.filter((url) => !this.owns(url)).map(({ hostname }) => toHost(hostname)))];
  }

  /** Whether the user wrote just this, as whole words. */
  says(text: string): boolean {
    const said = text.trim().toLowerCase();
    if (said === '') return true;
    return this.texts.some((one) => {
      for (let at = one.indexOf(said); at >= 0; at = one.indexOf(said, at + 1))
        if (isBoundary(one, at) && isBoundary(one, at + said.length)) return true;
      return false;
    });
  }

  private addAddress(text: string): void {
    for (const address of new Set([text, text.replace(AFTER_ADDRESS, '')])) {
      const url = URL.parse(address);
      if (!url || url.username !== '' || url.password !== '' || this.addresses.size >= MAX_ADDRESSES) continue;
      this.addresses.add(nameOf(url));
      url.hash = '';
      this.addresses.add(nameOf(url));
      url.search = '';
      this.addresses.add(nameOf(url));
      for (let at = url.pathname.lastIndexOf('/'); at >= 0; at = url.pathname.lastIndexOf('/', at - 1)) {
        this.addresses.add(nameOf(url, url.pathname.slice(0, at + 1)));
        if (at === 0) break;
      }
    }
  }

  private addName(name: string): void {
    const isName = name === 'localhost' || IPV4.test(name) || (/\.[^.\d-][^.]*$/.test(name) && !FILE_LIKE.test(name));
    if (isName) this.add(URL.parse(`http://${name}`)?.hostname);
  }

  private add(host: string | undefined): void {
    if (host) this.hosts.add(toHost(host));
  }
}

function isBoundary(text: string, at: number): boolean {
  return !LETTER.test(text[at - 1] ?? ' ') || !LETTER.test(text[at] ?? ' ');
}

function nameOf({ hostname, port, pathname, search, hash }: URL, path = pathname): string {
  return `${toHost(hostname)}:${port}${path === '' ? '/' : path}${search}${hash}`;
}

function collectAddresses(value: unknown, found: URL[], depth: number): void {
  if (typeof value === 'string') {
    // A lenient reader takes `https:host` and `//host` for addresses, too.
    const whole = URL.parse(value.trim(), 'relative://none/');
    if (whole && whole.hostname !== 'none' && whole.hostname !== '') found.push(whole);
    for (const [address] of value.matchAll(ADDRESS)) {
      const url = URL.parse(address);
      if (url && url.hostname !== '') found.push(url);
    }
    return;
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [name, one] of Object.entries(value)) {
    if (!Array.isArray(value)) collectAddresses(name, found, depth + 1);
    collectAddresses(one, found, depth + 1);
  }
}

function toHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
}

import { type LookupAddress, promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { EgressError } from './egress-error.js';
import { GuardedHttpAgent, GuardedHttpsAgent } from './guarded-agents.js';
import { limitedLookups } from './limited-lookups.js';
import { isPublicAddress } from './public-address.js';

export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

export interface EgressOptions {
  /** `host` or `host:port` of the deployment's own network; a v6 address in brackets. They may also speak http. */
  allowedHosts: readonly string[];
  /** Tests give a resolver of their own. */
  resolve?: ResolveHost;
  /** Connections to one host at a time; 16 unless told. */
  socketsPerHost?: number;
}

const PORTS = ['443', '8443'];

/** Of the four threads that a process has for look-ups, files and passwords. */
const LOOKUPS_AT_ONCE = 2;
const LOOKUP_PATIENCE_MS = 5000;

const systemResolve: ResolveHost = (hostname) => dns.lookup(hostname, { all: true });
/** For names that anybody may have made up. */
const carefulResolve = limitedLookups(systemResolve, LOOKUPS_AT_ONCE, LOOKUP_PATIENCE_MS);

/**
 * How long an unused connection is kept. Many hosts close theirs after 5 s, some without saying so: a POST that meets the
 * closing is lost, and may not be sent again.
 */
const IDLE_MS = 2_500;

/**
 * Which addresses outside may be called (docs/contract/reliability.md#addresses-of-users): https on the public
 * internet, and what the deployment lists.
 * Names are resolved when the connection is made, all answers are checked, and what was checked is connected to, so
 * that a name that changes its mind in between gains nothing.
 */
export class EgressGuard {
  /** For clients that take agents: connections made by these are checked, whatever the client asks for. */
  readonly agents: { http: GuardedHttpAgent; https: GuardedHttpsAgent };
  private readonly allowed: ReadonlySet<string>;
  private readonly resolvers: { own: ResolveHost; others: ResolveHost };

  constructor({ allowedHosts, resolve, socketsPerHost = 16 }: EgressOptions) {
    this.allowed = new Set(allowedHosts.map((entry) => entry.toLowerCase()));
    this.resolvers = { own: resolve ?? systemResolve, others: resolve ?? carefulResolve };
    const options = { keepAlive: true, maxSockets: socketsPerHost, timeout: IDLE_MS };
    this.agents = { http: new GuardedHttpAgent(this, options), https: new GuardedHttpsAgent(this, options) };
  }

  /** Whether the deployment lists the host, brackets or not. */
  isAllowed(hostname: string, port: number | string): boolean {
    const bare = bareHost(hostname);
    const written = isIP(bare) === 6 ? `[${bare}]` : bare;
    return this.allowed.has(written) || this.allowed.has(`${written}:${port}`);
  }

  /**
   * The address in the form in which it may be called; names are not resolved yet.
   * @throws EgressError (`blocked`)
   */
  checkUrl(raw: string | URL): URL {
    const url = URL.parse(String(raw));
    if (!url) throw new EgressError('blocked', 'This is no address.');
    if (url.username !== '' || url.password !== '')
      throw new EgressError('blocked', 'The address must not hold a user name or a password.');
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new EgressError('blocked', 'The address must begin with https://.');
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    if (this.isAllowed(url.hostname, port)) return url;
    if (url.protocol !== 'https:') throw new EgressError('blocked', 'The address must begin with https://.');
    if (!PORTS.includes(port)) throw new EgressError('blocked', `Only the ports ${PORTS.join(' and ')} may be called.`);
    this.checkLiteral(url.hostname, port);
    return url;
  }

  /** @throws EgressError for a host that is written as an address which may not be called */
  checkLiteral(hostname: string, port: number | string): void {
    const bare = bareHost(hostname);
    if (isIP(bare) !== 0 && !isPublicAddress(bare) && !this.isAllowed(bare, port)) throw notPublic();
  }

  /**
   * The addresses of a host, all of them fit to be connected to. For protocols other than HTTP.
   * @throws EgressError (`blocked`, `unreachable`)
   */
  async resolve(hostname: string, port: number | string): Promise<LookupAddress[]> {
    const bare = bareHost(hostname);
    const family = isIP(bare);
    if (family !== 0) {
      this.checkLiteral(bare, port);
      return [{ address: bare, family }];
    }
    const isOwn = this.isAllowed(bare, port);
    const found = await this.resolvers[isOwn ? 'own' : 'others'](bare).catch((error: unknown) => {
      throw new EgressError('unreachable', 'The name of the host is not known.', error);
    });
    if (found.length === 0) throw new EgressError('unreachable', 'The name of the host is not known.');
    if (!isOwn && !found.every(({ address }) => isPublicAddress(address))) throw notPublic();
    return found;
  }

  /** What a socket to this port asks in place of the system's resolver. */
  lookupFor(port: number | string): LookupFunction {
    const resolve = callbackify((hostname: string) => this.resolve(hostname, port));
    return (hostname, options, done) =>
      resolve(hostname, (error, addresses) => {
        if (error) return done(error, []);
        const [first] = addresses;
        if (options.all) done(null, addresses);
        else done(null, first?.address ?? '', first?.family);
      });
  }
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function notPublic(): EgressError {
  return new EgressError('blocked', 'The host is not on the public internet, and this deployment does not list it.');
}

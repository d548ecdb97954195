import { EgressError } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import type { AuthorizationServer } from 'oauth4webapi';
import { AuthorizationServers, hostOf } from './authorization-servers.js';
import { OAuthClients, type Registration } from './oauth-clients.js';
import { isMeantFor, OAuthSettings } from './oauth-settings.js';
import { orAborted } from '../client/or-aborted.js';
import { type ProtectedResource, ProtectedResources } from './protected-resources.js';
import { unionOf } from './scopes.js';

const DISCOVERY_MS = 20_000;
const OFFLINE = 'offline_access';

/** How users sign in to a tool server. */
export interface SignInOffer {
  server: AuthorizationServer;
  resource: string;
  /** All that may be asked for. */
  scopes: string[];
  /** What is asked for unless the user chooses (MCP, "Scope selection strategy"). */
  defaultScopes: string[];
  registration: Registration;
  protocolVersion: string | null;
  /** The server's host, where a preregistered provider is asked for a token for a host that it is not meant for. */
  confirmHost: string | null;
}

/** docs/contract/mcp.md#discovery, with what docs/contract/mcp.md#tool-servers adds. */
export interface DiscoveryResult {
  available: boolean;
  /** Host of the issuer. */
  provider: string | null;
  scopes: string[];
  defaultScopes: string[];
  dynamicRegistration: boolean;
  needsAdmin: boolean;
  error: string | null;
  registration: Registration;
  issuer: string | null;
  resource: string | null;
  protocolVersion: string | null;
  confirmHost: string | null;
  /** Where the provider leads back to: what an administrator registers there. */
  redirectUri: string | null;
}

const NOTHING: DiscoveryResult = {
  available: false,
  provider: null,
  scopes: [],
  defaultScopes: [],
  dynamicRegistration: false,
  needsAdmin: false,
  error: null,
  registration: 'none',
  issuer: null,
  resource: null,
  protocolVersion: null,
  confirmHost: null,
  redirectUri: null,
};

/** Finds out whether and where users sign in to a tool server. */
@Injectable()
export class OAuthDiscovery {
  constructor(
    private readonly resources: ProtectedResources,
    private readonly servers: AuthorizationServers,
    private readonly clients: OAuthClients,
    private readonly settings: OAuthSettings,
  ) {}

  /**
   * @returns `offer: null` for a server that asks nobody to sign in
   * @throws EgressError for one that cannot be reached, may not be called, or says what cannot be true
   */
  async find(address: string): Promise<{ offer: SignInOffer | null; protocolVersion: string | null }> {
    const signal = AbortSignal.timeout(DISCOVERY_MS);
    try {
      const { resource, protocolVersion } = await this.resources.inspect(address, signal);
      const offer =
        resource && this.toOffer(address, resource, await this.choose(resource.issuers, signal), protocolVersion);
      return { offer, protocolVersion };
    } catch (error) {
      throw signal.aborted ? new EgressError('timeout', 'The server did not answer in time.') : error;
    }
  }

  /** The same for people; never throws for what a server does. */
  async describe(address: string): Promise<DiscoveryResult> {
    try {
      const { offer, protocolVersion } = await this.find(address);
      if (!offer) return { ...NOTHING, protocolVersion };
      const { server, resource, scopes, defaultScopes, registration, confirmHost } = offer;
      const needsAdmin = registration === 'none';
      return {
        available: !needsAdmin,
        provider: hostOf(server.issuer),
        scopes,
        defaultScopes,
        dynamicRegistration: server.registration_endpoint !== undefined,
        needsAdmin,
        error: null,
        registration,
        issuer: server.issuer,
        resource,
        protocolVersion,
        confirmHost,
        redirectUri: this.settings.redirectUriOf(server.issuer),
      };
    } catch (error) {
      if (error instanceof EgressError) return { ...NOTHING, error: error.message };
      throw error;
    }
  }

  private toOffer(
    address: string,
    resource: ProtectedResource,
    server: AuthorizationServer,
    protocolVersion: string | null,
  ): SignInOffer {
    const supported = server.scopes_supported ?? [];
    const wanted = resource.challenged ?? resource.scopes ?? [];
    // Where no scope is known none is sent: the provider has its own idea of what is usual.
    const defaultScopes = wanted.length === 0 || !supported.includes(OFFLINE) ? wanted : unionOf(wanted, [OFFLINE]);
    return {
      server,
      resource: resource.resource,
      scopes: unionOf(resource.scopes ?? supported, defaultScopes),
      defaultScopes,
      registration: this.clients.registrationAt(server),
      protocolVersion,
      confirmHost: this.confirmHostOf(server.issuer, address),
    };
  }

  private confirmHostOf(issuer: string, address: string): string | null {
    const client = this.settings.findPreregistered(issuer);
    return client && !isMeantFor(client, address) ? hostOf(address) : null;
  }

  /** The first of a resource's authorization servers with which this deployment can work, else the first that answers. */
  private async choose(issuers: readonly string[], signal: AbortSignal): Promise<AuthorizationServer> {
    let answering: AuthorizationServer | null = null;
    let failure: unknown = null;
    for (const issuer of issuers)
      try {
        const server = await orAborted(this.servers.get(issuer), signal);
        if (this.clients.registrationAt(server) !== 'none') return server;
        answering ??= server;
      } catch (error) {
        failure ??= error;
      }
    if (answering) return answering;
    throw failure ?? new EgressError('protocol', 'The server names no sign-in provider.');
  }
}

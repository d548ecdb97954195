import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client';
import { ProviderAnswerError, providerFetch } from './provider-fetch.js';

const CALL_SECONDS = 5;
const KEPT_MS = 5 * 60_000;
const MAX_KEPT = 500;

/** An application registered with an issuer. */
export interface RegisteredClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** In the body where the provider takes it there; else by HTTP Basic, which is what silence about it means. */
const clientSecretAuth =
  (secret: string): ClientAuth =>
  (server, ...rest) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    return (takesPost ? ClientSecretPost(secret) : ClientSecretBasic(secret))(server, ...rest);
  };

/**
 * What providers say of themselves, asked once for all who wait and then kept for minutes; a failure is not kept. The
 * keys of a provider are kept with it, and asked for anew when a token names one that is not among them, once a minute
 * at most.
 */
export class ProviderConfigurations {
  private readonly kept: LRUCache<string, Configuration, RegisteredClient>;

  constructor(private readonly allowHttp: boolean) {
    this.kept = new LRUCache<string, Configuration, RegisteredClient>({
      max: MAX_KEPT,
      ttl: KEPT_MS,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context }) => this.discover(context),
    });
  }

  /** @throws whatever `openid-client` throws; see `oidc-errors.ts` */
  of(client: RegisteredClient): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = client;
    const key = hash('sha256', JSON.stringify([issuer, clientId, clientSecret]), 'base64url');
    return this.kept.forceFetch(key, { context: client });
  }

  private async discover({ issuer, clientId, clientSecret }: RegisteredClient): Promise<Configuration> {
    const configuration = await discovery(new URL(issuer), clientId, undefined, clientSecretAuth(clientSecret), {
      [customFetch]: providerFetch,
      timeout: CALL_SECONDS,
      execute: [enableNonRepudiationChecks, ...(this.allowHttp ? [allowInsecureRequests] : [])],
    });
    // What cannot be used is not kept either.
    const metadata = configuration.serverMetadata();
    for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
      if (!/^https?:$/.test(URL.parse(String(metadata[endpoint]))?.protocol ?? ''))
        throw new ProviderAnswerError(`its ${endpoint} is no address`);
    return configuration;
  }
}

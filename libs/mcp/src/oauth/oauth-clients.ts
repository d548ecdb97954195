import { newId } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable, Logger } from '@nestjs/common';
import { type AuthorizationServer, type Client, ClientSecretBasic, ClientSecretPost, None } from 'oauth4webapi';
import { DataSource } from 'typeorm';
import { OAuthSettings } from './oauth-settings.js';
import { ProviderRefusedError } from './provider-errors.js';
import { parseScopes, unionOf, writeScopes } from './scopes.js';
import { type AuthenticatedClient, TokenEndpoint } from './token-endpoint.js';

/** In the order of preference of the MCP specification. */
export type Registration = 'preregistered' | 'client_metadata' | 'dynamic' | 'none';

/** The application under which somebody signs in, as a grant remembers it. */
export interface ClientIdentity {
  source: Exclude<Registration, 'none'>;
  clientId: string;
  /** Of `dynamic`. */
  registrationId: string | null;
}

/** The application is no longer known here: the setting was changed, or the registration is gone. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

interface Row {
  id: string;
  client_id: string;
  client_secret_sealed: Buffer | null;
  auth_method: AuthMethod;
  scopes: string;
  is_usable: boolean;
}

/** So many sign-ins in a row that nobody came back from: the provider may have forgotten the application. */
const MAX_UNANSWERED = 5;
const COLUMNS = `id, client_id, client_secret_sealed, auth_method, scopes,
  (secret_expires_at IS NULL OR secret_expires_at > now() + interval '10 minutes') AND unanswered < ${MAX_UNANSWERED}
    AS is_usable`;

const placeOf = (id: string) => ({ table: 'mcp_oauth_clients', column: 'client_secret_sealed', row: id });

/** As whom this deployment signs its users in, per authorization server. */
@Injectable()
export class OAuthClients {
  private readonly logger = new Logger(OAuthClients.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly settings: OAuthSettings,
    private readonly endpoint: TokenEndpoint,
  ) {}

  registrationAt(server: AuthorizationServer): Registration {
    if (this.settings.findPreregistered(server.issuer)) return 'preregistered';
    if (server.client_id_metadata_document_supported && this.settings.hasClientMetadata) return 'client_metadata';
    return server.registration_endpoint ? 'dynamic' : 'none';
  }

  /**
   * The application for one more sign-in, registered anew where the last registration will not do.
   * @param scopes that will be asked for
   * @returns null where an administrator has to register it
   * @throws ProviderRefusedError, EgressError when the provider does not register it
   */
  async acquire(
    server: AuthorizationServer,
    scopes: readonly string[],
    signal: AbortSignal,
  ): Promise<ClientIdentity | null> {
    const source = this.registrationAt(server);
    if (source === 'none') return null;
    const published = this.settings.clientIdOf(server.issuer);
    if (source === 'client_metadata' && published) return { source, clientId: published, registrationId: null };
    const preregistered = this.settings.findPreregistered(server.issuer);
    if (preregistered) return { source: 'preregistered', clientId: preregistered.clientId, registrationId: null };
    const kept = await this.findCurrent(server.issuer);
    const known = parseScopes(kept?.scopes ?? '');
    const covers = known.length === 0 || scopes.every((scope) => known.includes(scope));
    const { id, client_id: clientId } =
      kept?.is_usable && covers
        ? kept
        : await this.register(server, unionOf(known, scopes, server.scopes_supported ?? []), kept?.id ?? null, signal);
    await this.dataSource.query('UPDATE mcp_oauth_clients SET unanswered = unanswered + 1 WHERE id = $1', [id]);
    return { source: 'dynamic', clientId, registrationId: id };
  }

  /** How the application proves itself at the token endpoint. @throws ClientGoneError */
  async open(
    { source, clientId, registrationId }: ClientIdentity,
    server: AuthorizationServer,
  ): Promise<AuthenticatedClient> {
    const client: Client = { client_id: clientId };
    if (source === 'client_metadata') return { client, auth: None() };
    if (source === 'preregistered') {
      const known = this.settings.findPreregistered(server.issuer);
      if (known?.clientId !== clientId) throw new ClientGoneError('The application is no longer configured.');
      const method =
        known.clientSecret === null ? 'none' : preferredMethod(server, ['client_secret_basic', 'client_secret_post']);
      return { client, auth: authOf(method, known.clientSecret) };
    }
    const [row] = await this.dataSource.query<Row[]>(`SELECT ${COLUMNS} FROM mcp_oauth_clients WHERE id = $1`, [
      registrationId,
    ]);
    if (!row) throw new ClientGoneError('The registration is gone.');
    const secret = row.client_secret_sealed && this.sealing.openText(row.client_secret_sealed, placeOf(row.id));
    return { client, auth: authOf(row.auth_method, secret) };
  }

  /** Somebody came back from a sign-in under it. */
  async noteAnswer({ registrationId }: ClientIdentity): Promise<void> {
    await this.dataSource.query('UPDATE mcp_oauth_clients SET unanswered = 0 WHERE id = $1 AND unanswered > 0', [
      registrationId,
    ]);
  }

  /** The provider does not know it any more: the next sign-in registers another. */
  async retire({ registrationId }: ClientIdentity): Promise<void> {
    await this.dataSource.query(
      'UPDATE mcp_oauth_clients SET retired_at = now() WHERE id = $1 AND retired_at IS NULL',
      [registrationId],
    );
  }

  /** Forgets retired registrations that no grant was made with. */
  async purge(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM mcp_oauth_clients c WHERE retired_at < now() - interval '1 hour'
         AND NOT EXISTS (SELECT FROM mcp_oauth_grants g WHERE g.registration_id = c.id)`,
    );
  }

  private async findCurrent(issuer: string): Promise<Row | null> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS} FROM mcp_oauth_clients WHERE issuer = $1 AND redirect_uri = $2 AND retired_at IS NULL`,
      [issuer, this.settings.redirectUriOf(issuer)],
    );
    return row ?? null;
  }

  /** Of two at once the first is kept; the other's stays unused at the provider. */
  private async register(
    server: AuthorizationServer,
    scopes: readonly string[],
    replaces: string | null,
    signal: AbortSignal,
  ): Promise<Row> {
    const redirectUri = this.settings.redirectUriOf(server.issuer);
    const { client, scope } = await this.registerAt(server, scopes, signal);
    const id = newId();
    const secret = typeof client.client_secret === 'string' ? client.client_secret : null;
    const told = client.token_endpoint_auth_method;
    const method = isMethod(told)
      ? told
      : secret === null
        ? 'none'
        : preferredMethod(server, ['client_secret_basic', 'client_secret_post']);
    const expires = Number(client['client_secret_expires_at'] ?? 0);
    await this.dataSource.transaction(async (tx) => {
      // Registrations that lead back to another address are of before, when all issuers shared one.
      await tx.query(
        `UPDATE mcp_oauth_clients SET retired_at = now()
         WHERE retired_at IS NULL AND (id = $1 OR (issuer = $2 AND redirect_uri <> $3))`,
        [replaces, server.issuer, redirectUri],
      );
      await tx.query(
        `INSERT INTO mcp_oauth_clients
           (id, issuer, redirect_uri, client_id, client_secret_sealed, auth_method, scopes, secret_expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp(nullif($8::bigint, 0)))
         ON CONFLICT (issuer, redirect_uri) WHERE retired_at IS NULL DO NOTHING`,
        [
          id,
          server.issuer,
          redirectUri,
          client.client_id,
          secret && this.sealing.seal(secret, placeOf(id)),
          secret === null ? 'none' : method,
          writeScopes(scope),
          Number.isSafeInteger(expires) && expires > 0 ? expires : 0,
        ],
      );
    });
    const current = await this.findCurrent(server.issuer);
    if (!current) throw new ClientGoneError('The registration is gone.');
    this.logger.log(`Registered with ${server.issuer}`);
    return current;
  }

  /** Some servers let a client ask only for what it registered, others refuse scopes that they do not know. */
  private async registerAt(server: AuthorizationServer, scopes: readonly string[], signal: AbortSignal) {
    const metadata = {
      ...this.settings.clientMetadata(this.settings.redirectUriOf(server.issuer)),
      token_endpoint_auth_method: preferredMethod(server, ['client_secret_basic', 'client_secret_post', 'none']),
    };
    if (scopes.length > 0)
      try {
        const scope = writeScopes(scopes);
        return { client: await this.endpoint.register(server, { ...metadata, scope }, signal), scope: scopes };
      } catch (error) {
        if (!(error instanceof ProviderRefusedError)) throw error;
      }
    return { client: await this.endpoint.register(server, metadata, signal), scope: [] };
  }
}

function isMethod(value: unknown): value is AuthMethod {
  return value === 'client_secret_basic' || value === 'client_secret_post' || value === 'none';
}

/** The first that the server takes; silence means HTTP Basic (RFC 8414, section 2). */
function preferredMethod(server: AuthorizationServer, order: readonly AuthMethod[]): AuthMethod {
  const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return order.find((method) => taken.includes(method)) ?? 'client_secret_basic';
}

function authOf(method: AuthMethod, secret: string | null): AuthenticatedClient['auth'] {
  if (method === 'none' || secret === null) return None();
  return method === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}

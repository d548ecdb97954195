import { newToken } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { OAuthError } from './oauth-error.js';
import { isRedirectUri } from './redirect-uri.js';

export interface KnownClient {
  id: string;
  name: string;
  uri: string;
  redirectUris: string[];
}

/** One that nobody has granted anything is forgotten after so many days. */
const UNUSED_DAYS = 7;

const registration = z.object({
  redirect_uris: z.array(z.string().refine(isRedirectUri)).min(1).max(10),
  client_name: z.string().max(200).optional().catch(undefined),
  client_uri: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional()
    .catch(undefined),
  grant_types: z.array(z.string()).max(10).optional(),
  response_types: z.array(z.string()).max(10).optional(),
});

/** Programs that registered themselves (RFC 7591). They are public: none has a secret. */
@Injectable()
export class OAuthClients {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns the client's metadata as RFC 7591 words it. @throws OAuthError */
  async register(given: unknown): Promise<object> {
    const read = registration.safeParse(given);
    if (!read.success) {
      const isRedirect = read.error.issues.some(({ path }) => path[0] === 'redirect_uris');
      throw isRedirect
        ? new OAuthError('invalid_redirect_uri', 'redirect_uris: https, a loopback address, or a scheme of your own.')
        : new OAuthError('invalid_client_metadata', 'The metadata of the client cannot be read.');
    }
    const { redirect_uris: redirectUris, client_uri: uri = '' } = read.data;
    const { grant_types: grants = ['authorization_code'], response_types: types = ['code'] } = read.data;
    if (!grants.includes('authorization_code') || !types.includes('code'))
      throw new OAuthError('invalid_client_metadata', 'Only the authorization code flow is spoken.');
    const id = `mcp_${newToken()}`;
    const name = nameOf(read.data.client_name) || 'MCP client';
    const [row] = await this.dataSource.query<[{ at: number }]>(
      `INSERT INTO oauth_clients (id, name, uri, redirect_uris) VALUES ($1, $2, $3, $4)
       RETURNING floor(extract(epoch FROM created_at))::int AS at`,
      [id, name, uri, redirectUris],
    );
    return {
      client_id: id,
      client_id_issued_at: row.at,
      client_name: name,
      ...(uri === '' ? {} : { client_uri: uri }),
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  async find(id: string): Promise<KnownClient | null> {
    const [row] = await this.dataSource.query<KnownClient[]>(
      'SELECT id, name, uri, redirect_uris AS "redirectUris" FROM oauth_clients WHERE id = $1',
      [id],
    );
    return row ?? null;
  }

  async purge(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM oauth_clients c WHERE created_at < now() - make_interval(days => $1)
         AND NOT EXISTS (SELECT FROM oauth_grants WHERE client_id = c.id)
         AND NOT EXISTS (SELECT FROM oauth_requests WHERE client_id = c.id)`,
      [UNUSED_DAYS],
    );
  }
}

/** Users read it when they decide: no control characters, nothing that turns the direction of writing. */
function nameOf(given = ''): string {
  return given
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 80);
}

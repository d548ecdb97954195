import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { McpOAuthClient } from './mcp-oauth-client.entity.js';
import { McpServer } from './mcp-server.entity.js';

/** What a user granted at a server's provider: its tokens, and whose turn it is to renew them. */
@Entity('mcp_oauth_grants')
@Index('mcp_oauth_grants_server_id_key', ['serverId'], { unique: true })
@Index('mcp_oauth_grants_registration_id', ['registrationId'])
@Index('mcp_oauth_grants_void', ['revokeAt'], { where: 'server_id IS NULL' })
export class McpOAuthGrant {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'mcp_oauth_grants_pkey' })
  id: string;

  /** Null: the server is gone or was changed, and the provider has yet to hear of it. */
  @Column('int', { nullable: true })
  @ForeignKey(() => McpServer, { name: 'mcp_oauth_grants_server_id_fkey', onDelete: 'SET NULL' })
  serverId: number | null;

  @Column('text')
  issuer: string;

  @Column('text')
  clientSource: 'preregistered' | 'client_metadata' | 'dynamic';

  @Column('text')
  clientId: string;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => McpOAuthClient, { name: 'mcp_oauth_grants_registration_id_fkey' })
  registrationId: string | null;

  /** The only origin to which the access token goes. */
  @Column('text')
  origin: string;

  @Column('text')
  resource: string;

  /** Granted, separated by spaces. */
  @Column('text')
  scopes: string;

  /** What the server asked for beyond them (step-up); the next sign-in asks for both. */
  @Column('text', { default: '' })
  requiredScopes: string;

  @Column('bytea', { nullable: true })
  accessTokenSealed: Buffer | null;

  /** The one that the provider takes next: it stays until its successor stands here. */
  @Column('bytea', { nullable: true })
  refreshTokenSealed: Buffer | null;

  /** Rises with each change of the tokens: an answer about earlier ones changes nothing. */
  @Column('int', { default: 1 })
  generation: number;

  @Column('timestamptz', { default: () => 'now()' })
  obtainedAt: Date;

  /** Of the access token; null where the provider does not tell. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  /** From when on it is renewed before it is used. */
  @Column('timestamptz', { nullable: true })
  refreshAt: Date | null;

  /** One process renews at a time; when it is lost, the next one may after this. */
  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;

  /** The provider could not be reached: it is not asked again before this. */
  @Column('timestamptz', { nullable: true })
  retryAt: Date | null;

  @Column('int', { default: 0 })
  revokeAttempts: number;

  @Column('timestamptz', { nullable: true })
  revokeAt: Date | null;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { McpOAuthClient } from './mcp-oauth-client.entity.js';
import { McpServer } from './mcp-server.entity.js';

/** A sign-in between the way to the provider and the way back. */
@Entity('mcp_oauth_flows')
@Index('mcp_oauth_flows_state_hash_key', ['stateHash'], { unique: true })
@Index('mcp_oauth_flows_server_id', ['serverId'])
@Index('mcp_oauth_flows_registration_id', ['registrationId'])
@Index('mcp_oauth_flows_expires_at', ['expiresAt'])
export class McpOAuthFlow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'mcp_oauth_flows_pkey' })
  id: string;

  /** SHA-256. */
  @Column('bytea')
  stateHash: Buffer;

  @Column('int')
  @ForeignKey(() => McpServer, { name: 'mcp_oauth_flows_server_id_fkey', onDelete: 'CASCADE' })
  serverId: number;

  /** A sign-in to what the server was before it was changed is void. */
  @Column('int')
  serverVersion: number;

  /** The PKCE verifier. */
  @Column('bytea')
  checksSealed: Buffer;

  /** As the validated metadata spell it: `iss` is compared with it letter by letter (RFC 9207). */
  @Column('text')
  issuer: string;

  @Column('text')
  clientSource: 'preregistered' | 'client_metadata' | 'dynamic';

  @Column('text')
  clientId: string;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => McpOAuthClient, { name: 'mcp_oauth_flows_registration_id_fkey', onDelete: 'CASCADE' })
  registrationId: string | null;

  @Column('text')
  redirectUri: string;

  @Column('text')
  resource: string;

  /** Asked for, separated by spaces. */
  @Column('text')
  scopes: string;

  @Column('timestamptz')
  expiresAt: Date;
}

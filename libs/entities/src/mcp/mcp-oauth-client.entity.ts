import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** This deployment as an authorization server knows it by dynamic registration (RFC 7591). */
@Entity('mcp_oauth_clients')
@Check('mcp_oauth_clients_auth_method_check', `auth_method IN ('client_secret_basic', 'client_secret_post', 'none')`)
@Index('mcp_oauth_clients_current_key', ['issuer', 'redirectUri'], { unique: true, where: 'retired_at IS NULL' })
export class McpOAuthClient {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'mcp_oauth_clients_pkey' })
  id: string;

  @Column('text')
  issuer: string;

  @Column('text')
  redirectUri: string;

  @Column('text')
  clientId: string;

  @Column('bytea', { nullable: true })
  clientSecretSealed: Buffer | null;

  @Column('text')
  authMethod: 'client_secret_basic' | 'client_secret_post' | 'none';

  /** What may be asked for, separated by spaces; empty where the registration named none. */
  @Column('text', { default: '' })
  scopes: string;

  @Column('timestamptz', { nullable: true })
  secretExpiresAt: Date | null;

  /** Sign-ins begun since the last one that came back: a provider that forgot the application leads nobody back. */
  @Column('int', { default: 0 })
  unanswered: number;

  /** Since when it serves none but the grants that were made with it. */
  @Column('timestamptz', { nullable: true })
  retiredAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

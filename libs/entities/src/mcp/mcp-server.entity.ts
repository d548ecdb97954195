import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** A tool server that a user connected (docs/contract/mcp.md#tool-servers). */
@Entity('mcp_servers')
@Check('mcp_servers_auth_type_check', `auth_type IN ('none', 'bearer', 'header', 'oauth')`)
@Check('mcp_servers_status_check', `status IN ('untested', 'ok', 'error', 'needs_reauth')`)
@Check('mcp_servers_transport_check', `transport IN ('streamable_http', 'sse')`)
@Index('mcp_servers_user_id_slug_key', ['userId', 'slug'], { unique: true })
export class McpServer {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'mcp_servers_pkey' })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'mcp_servers_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  label: string;

  /** Names the server's tools to the agent; stays when the label changes. Never holds two underscores in a row. */
  @Column('text')
  slug: string;

  @Column('text')
  url: string;

  @Column('text', { default: 'none' })
  authType: 'none' | 'bearer' | 'header' | 'oauth';

  @Column('text', { default: '' })
  authHeaderName: string;

  /** Of `bearer` and `header`. */
  @Column('bytea', { nullable: true })
  secretSealed: Buffer | null;

  @Column('boolean', { default: true })
  enabled: boolean;

  @Column('text')
  status: 'untested' | 'ok' | 'error' | 'needs_reauth';

  @Column('timestamptz', { nullable: true })
  lastOkAt: Date | null;

  @Column('text', { default: '' })
  lastError: string;

  @Column('text', { default: '' })
  grantedScopes: string;

  @Column('timestamptz', { nullable: true })
  tokenExpiresAt: Date | null;

  /** Host of the OAuth issuer. */
  @Column('text', { nullable: true })
  oauthProvider: string | null;

  /** Rises with each change of url, auth_type, auth_header_name or secret: what was found out under another is void. */
  @Column('int', { default: 1 })
  version: number;

  /** The transport that worked last. */
  @Column('text', { nullable: true })
  transport: 'streamable_http' | 'sse' | null;

  @Column('text', { default: '' })
  protocolVersion: string;

  /** `name`, `title` and `version` as the server told them. */
  @Column('jsonb', { default: {} })
  serverInfo: Record<string, unknown>;

  /** Null: the next listing is the first of this address, and is accepted as shown. */
  @Column('timestamptz', { nullable: true })
  toolsListedAt: Date | null;

  /** The server said that its tools changed. */
  @Column('boolean', { default: false })
  toolsStale: boolean;

  /** What is missing in the list, in words; empty when it is whole. */
  @Column('text', { default: '' })
  toolsNote: string;

  /** When calls failed lately: the third within ten minutes ends `ok`. */
  @Column('timestamptz', { array: true, default: '{}' })
  failedAt: Date[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

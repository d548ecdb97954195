import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Session } from './session.entity.js';
import { User } from './user.entity.js';

/** A program that registered itself to ask users for access (RFC 7591). It has no secret: it proves itself by PKCE. */
@Entity('oauth_clients')
export class OAuthClient {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'oauth_clients_pkey' })
  id: string;

  @Column('text')
  name: string;

  /** Its home page; '' when it told none. */
  @Column('text', { default: '' })
  uri: string;

  @Column('text', { array: true })
  redirectUris: string[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** What a user granted a client: the session has the tokens, and ends when either takes it back. */
@Entity('oauth_grants')
@Index('oauth_grants_user_id', ['userId'])
@Index('oauth_grants_client_id', ['clientId'])
export class OAuthGrant {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'oauth_grants_pkey' })
  @ForeignKey(() => Session, { name: 'oauth_grants_session_id_fkey', onDelete: 'CASCADE' })
  sessionId: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'oauth_grants_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  @ForeignKey(() => OAuthClient, { name: 'oauth_grants_client_id_fkey', onDelete: 'CASCADE' })
  clientId: string;

  @Column('text', { array: true })
  scopes: string[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** A client asks; the user answers, which makes a code; the client exchanges it, which makes a session. */
@Entity('oauth_requests')
@Index('oauth_requests_code_hash_key', ['codeHash'], { unique: true })
@Index('oauth_requests_expires_at', ['expiresAt'])
@Index('oauth_requests_client_id', ['clientId'])
@Index('oauth_requests_user_id', ['userId'])
@Index('oauth_requests_session_id', ['sessionId'])
export class OAuthRequest {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'oauth_requests_pkey' })
  id: string;

  @Column('text')
  @ForeignKey(() => OAuthClient, { name: 'oauth_requests_client_id_fkey', onDelete: 'CASCADE' })
  clientId: string;

  @Column('text')
  redirectUri: string;

  /** Those that were asked for; once approved, those that were granted. */
  @Column('text', { array: true })
  scopes: string[];

  @Column('text', { nullable: true })
  state: string | null;

  /** S256 of PKCE (RFC 7636). */
  @Column('text')
  codeChallenge: string;

  /** When it can be answered no more. */
  @Column('timestamptz')
  expiresAt: Date;

  /** Who answered it; null before. */
  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'oauth_requests_user_id_fkey', onDelete: 'CASCADE' })
  userId: number | null;

  /** SHA-256 of the code; null before, and when access was denied. */
  @Column('bytea', { nullable: true })
  codeHash: Buffer | null;

  @Column('timestamptz', { nullable: true })
  codeExpiresAt: Date | null;

  /** What came of the code; a code that comes once more ends it. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Session, { name: 'oauth_requests_session_id_fkey', onDelete: 'CASCADE' })
  sessionId: string | null;
}

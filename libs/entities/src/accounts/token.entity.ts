import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Session } from './session.entity.js';
import { User } from './user.entity.js';

/** Only hashes of tokens are kept. */
@Entity('access_tokens')
@Index('access_tokens_session_id', ['sessionId'])
@Index('access_tokens_expires_at', ['expiresAt'])
export class AccessToken {
  /** SHA-256 of the token. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'access_tokens_pkey' })
  tokenHash: Buffer;

  @Column('uuid')
  sessionId: string;

  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'session_id', foreignKeyConstraintName: 'access_tokens_session_id_fkey' })
  session?: Relation<Session>;

  @Column('timestamptz')
  expiresAt: Date;
}

@Entity('refresh_tokens')
@Index('refresh_tokens_session_id', ['sessionId'])
@Index('refresh_tokens_sealed', ['replacedAt'], { where: 'successor_sealed IS NOT NULL' })
export class RefreshToken {
  /** SHA-256 of the token. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'refresh_tokens_pkey' })
  tokenHash: Buffer;

  @Column('uuid')
  sessionId: string;

  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'session_id', foreignKeyConstraintName: 'refresh_tokens_session_id_fkey' })
  session?: Relation<Session>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When the successor was issued; null for the current token of its session. */
  @Column('timestamptz', { nullable: true })
  replacedAt: Date | null;

  /** SHA-256 of the successor. */
  @Column('bytea', { nullable: true })
  successorHash: Buffer | null;

  /** Both successor tokens, sealed, for callers that come with this one during the grace period; erased after it. */
  @Column('bytea', { nullable: true })
  successorSealed: Buffer | null;
}

/** Opens one WebSocket, once (docs/contract/sessions.md#tickets-of-sockets). */
@Entity('socket_tickets')
@Index('socket_tickets_expires_at', ['expiresAt'])
@Index('socket_tickets_session_id', ['sessionId'])
export class SocketTicket {
  /** SHA-256 of the ticket. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'socket_tickets_pkey' })
  ticketHash: Buffer;

  @Column('uuid')
  sessionId: string;

  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'session_id', foreignKeyConstraintName: 'socket_tickets_session_id_fkey' })
  session?: Relation<Session>;

  @Column('text')
  channel: string;

  @Column('timestamptz')
  expiresAt: Date;
}

/** The first answer to a call that carried an `Idempotency-Key` (docs/contract/conventions.md#idempotency). */
@Entity('idempotency_keys')
@Index('idempotency_keys_expires_at', ['expiresAt'])
export class IdempotencyKey {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  userId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key: string;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'idempotency_keys_user_id_fkey' })
  user?: Relation<User>;

  /** SHA-256 of method, path and body. */
  @Column('bytea')
  fingerprint: Buffer;

  /** Who works on it. */
  @Column('uuid')
  claim: string;

  /** While nothing is answered: when the work counts as lost. */
  @Column('timestamptz')
  leaseExpiresAt: Date;

  @Column('int', { nullable: true })
  responseStatus: number | null;

  @Column('text', { nullable: true })
  responseBody: string | null;

  @Column('timestamptz')
  expiresAt: Date;
}

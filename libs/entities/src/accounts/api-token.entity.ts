import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { Session } from './session.entity.js';
import { User } from './user.entity.js';

/**
 * A session that was made by hand, for programs: its one access token may do what its scopes say
 * (docs/contract/sessions.md#api-tokens).
 */
@Entity('api_tokens')
@Index('api_tokens_session_id_key', ['sessionId'], { unique: true })
@Index('api_tokens_user_id', ['userId'])
export class ApiToken {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'api_tokens_pkey' })
  id: number;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_tokens_user_id_fkey' })
  user?: Relation<User>;

  @Column('uuid')
  sessionId: string;

  @ManyToOne(() => Session, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'session_id', foreignKeyConstraintName: 'api_tokens_session_id_fkey' })
  session?: Relation<Session>;

  @Column('text')
  name: string;

  @Column('text', { array: true })
  scopes: string[];

  /** The last characters of the token, by which people tell theirs apart. */
  @Column('text')
  hint: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Null for one that lasts until it is revoked. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}

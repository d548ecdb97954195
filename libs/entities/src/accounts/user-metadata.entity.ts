import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** One JSON object of client state: key envelopes, preferences, saved filters (docs/contract/accounts.md#metadata). */
@Entity('user_metadata')
@Index('user_metadata_user_id', ['userId', 'id'])
export class UserMetadata {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'user_metadata_pkey',
  })
  id: string;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_metadata_user_id_fkey' })
  user?: Relation<User>;

  /** The object as JSON text. */
  @Column('bytea')
  dataSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

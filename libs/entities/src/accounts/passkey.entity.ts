import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** A WebAuthn credential (docs/contract/accounts.md#passkeys). */
@Entity('passkeys')
@Check('passkeys_device_type_check', `device_type IN ('singleDevice', 'multiDevice')`)
@Index('passkeys_credential_id_key', ['credentialId'], { unique: true })
@Index('passkeys_user_id', ['userId'])
export class Passkey {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS', primaryKeyConstraintName: 'passkeys_pkey' })
  id: number;

  @Column('int')
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'passkeys_user_id_fkey' })
  user?: Relation<User>;

  /** base64url. */
  @Column('text')
  credentialId: string;

  /** COSE. */
  @Column('bytea')
  publicKey: Buffer;

  @Column('bigint', { default: 0 })
  counter: string;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  aaguid: string;

  @Column('text', { array: true, default: '{}' })
  transports: string[];

  @Column('text')
  deviceType: string;

  @Column('boolean', { default: false })
  backedUp: boolean;

  /** The client's recovery key, wrapped by the passkey (docs/contract/accounts.md#keys-of-clients). */
  @Column('bytea', { nullable: true })
  rekWrappedSealed: Buffer | null;

  /** The counter went back: this key signs nobody in any more. */
  @Column('timestamptz', { nullable: true })
  suspectedCloneAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}

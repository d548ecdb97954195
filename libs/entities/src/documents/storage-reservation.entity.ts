import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** Bytes that a user is about to store; they count until they are stored, given up or expired. */
@Entity('storage_reservations')
@Check('storage_reservations_bytes_check', 'bytes >= 0')
@Index('storage_reservations_user_id', ['userId'])
@Index('storage_reservations_expires_at', ['expiresAt'])
export class StorageReservation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'storage_reservations_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'storage_reservations_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('bigint')
  bytes: string;

  /** So that what a killed process reserved comes back. */
  @Column('timestamptz')
  expiresAt: Date;
}

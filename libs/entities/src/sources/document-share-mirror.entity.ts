import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { ExternalSource } from './external-source.entity.js';
import { LeasedRow } from '../leased-row.js';

/**
 * What a share of a document from an external drive is to be in that drive, and what it is there. Triggers on
 * `document_shares` write the first, a worker the second. It outlives the document, so that a purge ends the share in
 * the drive too.
 */
@Entity('document_share_mirrors')
@Index('document_share_mirrors_share_key', ['documentUid', 'userId'], { unique: true })
@Index('document_share_mirrors_owner_id', ['ownerId'])
@Index('document_share_mirrors_user_id', ['userId'])
@Index('document_share_mirrors_source_id', ['sourceId'])
@Index('document_share_mirrors_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class DocumentShareMirror extends LeasedRow {
  @PrimaryGeneratedColumn('identity', {
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'document_share_mirrors_pkey',
  })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'document_share_mirrors_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('uuid')
  documentUid: string;

  /** Null once the account is gone. */
  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'document_share_mirrors_user_id_fkey', onDelete: 'SET NULL' })
  userId: number | null;

  @Column('text')
  email: string;

  /** Null for a document that an upload brought with an `external_drive_item_id`. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => ExternalSource, { name: 'document_share_mirrors_source_id_fkey', onDelete: 'CASCADE' })
  sourceId: string | null;

  @Column('text')
  itemId: string;

  @Column('boolean', { default: true })
  wanted: boolean;

  /** Rises whenever `wanted` is written. */
  @Column('int', { default: 1 })
  version: number;

  /** Whether the drive was ever asked to share it: if it was, and there is no handle, the outcome is unknown. */
  @Column('boolean', { default: false })
  attempted: boolean;

  /** What takes the drive's grant back. */
  @Column('text', { nullable: true })
  grantHandle: string | null;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;
}

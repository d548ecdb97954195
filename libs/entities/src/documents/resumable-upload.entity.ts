import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Document } from './document.entity.js';

/** An upload by the tus protocol; how many bytes are there is what its file says. */
@Entity('resumable_uploads')
@Check('resumable_uploads_state_check', `state IN ('receiving', 'stored', 'refused')`)
@Index('resumable_uploads_owner_id', ['ownerId'])
@Index('resumable_uploads_document_uid', ['documentUid'])
@Index('resumable_uploads_expires_at', ['expiresAt'])
export class ResumableUpload {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'resumable_uploads_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'resumable_uploads_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  /** Of the whole file, as announced. */
  @Column('bigint')
  sizeBytes: string;

  /** `Upload-Metadata` as the client wrote it. */
  @Column('jsonb')
  metadata: Record<string, string | null>;

  @Column('text', { default: 'receiving' })
  state: string;

  @Column('uuid', { nullable: true })
  @ForeignKey(() => Document, 'uid', { name: 'resumable_uploads_document_uid_fkey', onDelete: 'SET NULL' })
  documentUid: string | null;

  /** Why the whole file was not taken. */
  @Column('jsonb', { nullable: true })
  refusal: Record<string, unknown> | null;

  /** The request that writes, of whatever process. */
  @Column('uuid', { nullable: true })
  lock: string | null;

  @Column('timestamptz', { nullable: true })
  lockedUntil: Date | null;

  /** Another request waits: the client has given the writing one up. */
  @Column('boolean', { default: false })
  lockWanted: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Moves with each part that arrives. */
  @Column('timestamptz')
  expiresAt: Date;
}
